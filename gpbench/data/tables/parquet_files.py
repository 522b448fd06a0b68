"""Convert the user's parquet files to shards, once, batch by batch: {parquet: "taxi/*.parquet", target: fare}.

The shards are stored below GPBENCH_DATA (datasets/shards/), under the hash of the files and of the target's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gpbench.errors import DataError, MissingExtra

from .. import shards


def paths(pattern: str) -> list[Path]:
    """Files of the pattern in the order of their names; DataError if there are none."""
    path = Path(pattern)
    found = sorted(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)) if path.anchor else pattern))
    if not found:
        raise DataError(f"no parquet file matches {pattern}")
    return found


def converted(pattern: str, target: str, sha256: str, data_dir: Path) -> str:
    """The folder of shards of these files; converts them if necessary."""
    folder = data_dir / "shards" / f"{sha256[:16]}-{hashlib.sha256(target.encode()).hexdigest()[:8]}"
    if not folder.is_dir():
        shards.write(folder, _batches(paths(pattern), target))
    return str(folder)


def _batches(files: list[Path], target: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as e:
        raise MissingExtra(
            "parquet files need pyarrow, the extra gpbench[parquet]: pip install -e '.[parquet]' in the clone"
        ) from e
    inputs = None
    for file in files:
        try:
            opened = pq.ParquetFile(file)
        except (OSError, pa.ArrowException) as e:
            raise DataError(f"{file}: is not a parquet file ({e})") from e
        names = opened.schema_arrow.names
        if target not in names:
            raise DataError(f"{file}: has no column '{target}'; its columns are {', '.join(names)}")
        own = [n for n in names if n != target]
        if inputs is not None and own != inputs:
            raise DataError(f"{file}: its columns are not those of {files[0].name}")
        inputs = own
        if not inputs:
            raise DataError(f"{file}: has no column besides the target '{target}'")
        for batch in opened.iter_batches(batch_size=shards.SHARD):
            yield np.column_stack([_numbers(file, batch, n) for n in inputs]), _numbers(file, batch, target)


def _numbers(file: Path, batch, name: str) -> np.ndarray:
    column = batch.column(name)
    try:
        values = column.cast("double").to_numpy(zero_copy_only=False)
    except Exception as e:
        raise DataError(f"{file}: column '{name}' is {column.type}, not numbers; drop it or encode it") from e
    if not (np.abs(values) <= shards.LARGEST).all():
        raise DataError(
            f"{file}: column '{name}' has missing, infinite or too large values; drop the rows or fill them in"
        )
    return values
