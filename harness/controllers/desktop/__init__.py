"""The controller of a desktop."""
