"""Driving a desktop by the X protocol."""
