"""Where the repository and the files of the tests are."""

from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
FILES = REPO / "tests" / "files"  # results folders, saved models
PLUGINS = REPO / "tests" / "plugins"  # files for --plugin
HELPERS = REPO / "tests" / "helpers"
