"""How a picture is drawn as SVG."""
