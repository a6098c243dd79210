"""soid puts decision programs on the stand: did, would and might questions, answered with proof."""

__version__ = "0.1.0"
