"""The file of a saved model: arrays under their names, with a checksum, in a zip that is read with care.

Nothing is unpickled. Sizes are compared with the file's own before anything is allocated, and every name occurs once.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile

import numpy as np

from gpbench.errors import DataError

DESCRIPTION, CHECKSUM = "description", "checksum"
_NAME = re.compile(r"(description|checksum|a\d+)\.npy")
_KINDS = "biufU"  # of numbers and texts


def write(stream, content: dict, arrays: dict[str, np.ndarray]) -> None:
    described = {DESCRIPTION: np.frombuffer(json.dumps(content).encode(), dtype=np.uint8), **arrays}
    digest = checksum({name: _as_bytes(array) for name, array in described.items()})
    np.savez(stream, **described, **{CHECKSUM: np.frombuffer(digest.encode(), dtype=np.uint8)})


def checksum(members: dict[str, bytes]) -> str:
    """sha256 over names and .npy bytes, which hold types, shapes and numbers; of everything but the checksum."""
    h = hashlib.sha256()
    for name in sorted(members.keys() - {CHECKSUM}):
        for part in (name.encode(), members[name]):
            h.update(len(part).to_bytes(8, "little") + part)
    return h.hexdigest()


def read(path, stream) -> tuple[dict, dict[str, np.ndarray], bool]:
    """The description, the arrays by name, and whether a checksum has confirmed them."""
    begin = stream.read(4)
    stream.seek(0)
    if begin != b"PK\x03\x04":
        raise no_model(path)
    with zipfile.ZipFile(stream) as archive:
        members = _members(path, archive)
    if DESCRIPTION not in members:
        raise no_model(path)
    arrays = {name: _array(path, name, whole) for name, whole in members.items()}
    found = arrays.pop(CHECKSUM, None)
    if found is not None and found.tobytes() != checksum(members).encode():
        raise DataError(f"{path}: its checksum does not fit its content: the file is damaged or edited; save it again")
    return json.loads(arrays.pop(DESCRIPTION).tobytes()), arrays, found is not None


def no_model(path) -> DataError:
    return DataError(f"{path}: is no model of gpbench; one is written by gpbench fit, or by an estimator's save")


def _members(path, archive: zipfile.ZipFile) -> dict[str, bytes]:
    found = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if not _NAME.fullmatch(info.filename):
            raise no_model(path)
        if name in found:
            raise DataError(f"{path}: has two entries named {name}; save the model again")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise DataError(f"{path}: is compressed, which no file of gpbench is; save the model again")
        found[name] = archive.read(info)
    return found


def _array(path, name: str, whole: bytes) -> np.ndarray:
    """The array, whose header has to fit the number of bytes before any memory is taken."""
    stream = io.BytesIO(whole)
    version = np.lib.format.read_magic(stream)
    header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, _, dtype = header(stream)
    size = dtype.itemsize
    for length in shape:
        size *= length
    if dtype.kind not in _KINDS or not dtype.isnative or size != len(whole) - stream.tell():
        raise DataError(f"{path}: array {name} is no array of {shape} {dtype}; save the model again")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)


def _as_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()
