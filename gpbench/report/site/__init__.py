"""`gpbench site`: a static site over many folders, the scoreboard first; and README's state, by the same counts."""

from .build import build
from .readme_state import state, with_state

__all__ = ["build", "state", "with_state"]
