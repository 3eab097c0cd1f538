"""Working memory: the durable note store and its view."""
