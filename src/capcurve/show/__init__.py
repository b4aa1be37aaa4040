"""What is shown, in which words and digits; text, pictures and pages only lay it out."""

# The suffixes of files that hold a picture.
PICTURES = (".png", ".svg", ".pdf")

__all__ = ["PICTURES"]
