"""Configs that come with gpbench; a name selects one if no file has that name."""

from __future__ import annotations

from pathlib import Path

from gpbench.text import suggestion

FOLDER = Path(__file__).parents[2] / "configs"  # in the repository a link to its configs/


def names() -> list[str]:
    """quickstart, cao/figure1, ..."""
    return sorted(p.relative_to(FOLDER).with_suffix("").as_posix() for p in FOLDER.rglob("*.yaml"))


def located(given: str) -> str:
    """The path of a config: a file, or a built-in config of that name. The reader reports an unknown name."""
    name = given.removesuffix(".yaml").removeprefix("configs/")
    own = FOLDER / f"{name}.yaml"
    is_inside = ".." not in Path(name).parts and not Path(name).is_absolute()
    return given if Path(given).exists() or not is_inside or not own.is_file() else str(own)


def hint(given: str) -> str:
    """A suggestion for a name that is no file."""
    return suggestion(given.removesuffix(".yaml"), names(), "; gpbench list configs shows what there is", most=2)


def title(path: Path) -> str:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("description:"):
            return line.partition(":")[2].strip()
    return ""
