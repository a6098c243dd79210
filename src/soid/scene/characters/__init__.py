"""How a picture is drawn with characters."""
