"""Matplotlib primitives and the only writer of drawings."""

import os

# No drawing opens a window, and matplotlib refuses to load with a backend name that it does not know.
os.environ.pop("MPLBACKEND", None)
