"""The browser controller."""
