"""Drawing as SVG."""
