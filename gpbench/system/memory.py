"""What this machine has, as far as it tells."""

from __future__ import annotations

import os


def memory_bytes() -> float:
    """Of main memory; infinite where nobody knows."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return float("inf")
