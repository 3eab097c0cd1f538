"""Settle watches: waiting, by events, until a screen comes to rest."""
