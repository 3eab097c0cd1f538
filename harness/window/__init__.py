"""The image window: who owns a slot. Pure; imports values alone."""
