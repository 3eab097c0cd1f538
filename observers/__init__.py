"""Plug-ins that see: marks, overlays and the settle watch."""
