"""Files of a session: blobs, atomic writes, layout, export."""
