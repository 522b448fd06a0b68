"""Data sets: found by name, fetched and verified, split and scaled."""

from .spec import at_hand, content_hash, load, resolve_first_of

__all__ = ["at_hand", "content_hash", "load", "resolve_first_of"]
