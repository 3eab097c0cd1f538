"""Where a process listens, as the kernel says it."""

from __future__ import annotations

from pathlib import Path


def listening_addresses(process_id: int) -> set[tuple[str, int]]:
    """Return the TCP addresses on which a process listens, as /proc writes them."""
    files = [entry for entry in Path(f"/proc/{process_id}/fd").iterdir() if entry.exists()]
    inodes = {entry.stat().st_ino for entry in files if entry.is_socket()}
    found: set[tuple[str, int]] = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process_id}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[9]) in inodes:
                address, port = fields[1].split(":")
                found.add((address, int(port, 16)))
    return found
