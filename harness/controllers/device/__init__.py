"""Devices at a distance: a controller in another process or on another machine, through one set of messages."""
