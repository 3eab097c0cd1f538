"""Plug-ins that decide: they render a projection into a request and send it."""
