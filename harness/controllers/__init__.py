"""Controllers: they act on a device and return post-action frames."""
