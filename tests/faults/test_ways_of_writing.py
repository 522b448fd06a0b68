"""Only system/atomic_files.py opens files for writing: a write straight into a file may destroy its older content."""

import ast
import re
from pathlib import Path

import pytest

import gpbench

ROOT = Path(gpbench.__file__).parent
TO_WRITE = re.compile(r"[rbt]*[wax+][rbt+]*")
OPENERS = {"open", "fdopen", "FileIO", "ZipFile", "TarFile", "GzipFile", "BZ2File", "LZMAFile", "memmap", "open_memmap"}
FLAGGED = {"open", "descriptor", "open_plain"}  # take flags of os.open
ALWAYS = {
    "write_text", "write_bytes", "touch", "tofile", "to_parquet", "to_pickle", "to_feather", "to_excel", "to_hdf",
    "mkstemp", "NamedTemporaryFile", "TemporaryFile", "FileHandler", "copy2", "copyfile", "copytree", "move",
    "extractall", "truncate", "symlink_to", "hardlink_to",
}  # fmt: skip
OF_A_STREAM = {  # which argument is the stream: one of ours or of memory, else it is a file's name
    "save": 0, "savez": 0, "savez_compressed": 0, "savetxt": 0, "savefig": 0, "imsave": 0, "dump": 1, "copyfileobj": 1,
    "to_csv": 0,
}  # fmt: skip
OURS = {"replacing", "writing", "BytesIO", "StringIO"}
STAGED = "a file in the fetch's own staging folder, which is checked and only then moved into the cache"
SCRATCH = "a new temporary folder that no one else reads, removed at the end"
JOB = "a new folder of one job, removed with it"
ALLOWED = {  # file -> call: why it may
    "system/atomic_files.py": {
        "open(descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), 'wb')": "the one way",
        "descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)": "the one way",
        "os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 420)": "the one way",
        "open(path, 'wb')": "a device or a pipe, which has no older content",
        "os.replace(temporary, path)": "the one way",
        "os.replace(staged / name, folder / name)": "an export, moved when all of it is written",
        "os.replace(staged / seal, folder / seal)": "an export, moved when all of it is written",
    },
    "experiment/results/checked_files.py": {
        "atomic_files.descriptor(path, flags)": "for the logs, the journal and the lock below",
    },
    "experiment/results/lock.py": {
        "open_plain(self.path, os.O_RDWR | os.O_CREAT)": "a lock, which holds its process only",
    },
    "experiment/results/folder.py": {
        "os.replace(path, target)": "a damaged file, moved into quarantine under an unused name",
    },
    "experiment/evaluation/checkpoint.py": {
        "open_plain(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)": "a journal is appended to",
        "open(open_plain(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 'a', encoding='ascii')": "a journal is appended to",  # noqa: E501
    },
    "experiment/run/local/logs.py": {
        "open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)": "the log of a trial",
        "open(path, 'r+b')": "the log of a trial",
        "f.truncate()": "the log of a trial",
    },
    "experiment/run/local/executor.py": {
        "open_plain(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)": "the log of the server",
        "open(open_plain(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 'ab')": "the log of the server",
    },
    "experiment/run/local/os_limits.py": {
        "os.open(os.devnull, os.O_RDWR)": "the null device",
        "open(fd, mode, encoding='utf-8', errors='backslashreplace', closefd=False)": "a standard stream",
    },
    "experiment/run/dask/file_bundle.py": {
        "(home / name).write_bytes(content)": JOB,
    },
    "cli/standard_output.py": {
        "os.open(os.devnull, os.O_WRONLY)": "the null device",
    },
    "system/numba_cache.py": {
        "tempfile.TemporaryFile(dir=path)": "tries whether a folder can be written",
    },
    "adapters/client.py": {
        "np.savez(path, **arrays)": SCRATCH,
    },
    "adapters/serve.py": {
        "np.savez(request['out'], mean=mean, var=var)": SCRATCH,
        "np.savez(request['out'], prob=prob)": SCRATCH,
        "np.savez(request['out'], log_density=found)": SCRATCH,
        "os.fdopen(os.dup(1), 'w', buffering=1)": "a standard stream",
    },
    "adapters/environment.py": {
        "(folder / _WHOLE).touch()": "an empty file in a new folder",
    },
    "data/fetch/obtain.py": {
        "shutil.copyfile(mirror / file.path, out)": STAGED,
        "shutil.copyfile(path, out)": STAGED,
    },
    "data/fetch/pypi.py": {
        "shutil.copyfile(path, out)": STAGED,
    },
    "data/fetch/transfer.py": {
        "open(out, 'wb')": STAGED,
    },
    "data/fetch/unpacking.py": {
        "open(out, 'wb')": STAGED,
    },
    "data/shards.py": {
        "temporary.rename(folder)": "a whole new folder, moved when all of it is written",
    },
}


def streams(tree):
    """Names that stand for a stream of `replacing` or `writing`, or for one in memory."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            pairs = [(i.context_expr, i.optional_vars) for i in node.items]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs = [(node.value, node.targets[0])]
        else:
            continue
        for value, target in pairs:
            if isinstance(value, ast.Call) and isinstance(target, ast.Name) and called(value) in OURS:
                found.add(target.id)
    return found


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def opens_to_write(node):
    """By a mode with w, a, x or +, one that only the run will tell, or by flags of os.open."""
    name, positional = called(node), [*node.args]
    keywords = {k.arg: k.value for k in node.keywords}
    of_a_path = name == "open" and isinstance(node.func, ast.Attribute)  # Path.open("w"), or a module's open(path, "w")
    modes = [*positional[0 if of_a_path else 1 : 2], *([keywords["mode"]] if "mode" in keywords else [])]
    if name in OPENERS and any(isinstance(m, ast.Constant) and TO_WRITE.fullmatch(str(m.value)) for m in modes):
        return True
    if name in FLAGGED and any(
        re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)|\bflags\b", ast.unparse(m)) for m in positional[1:]
    ):
        return True
    return name == "open" and isinstance(node.func, ast.Name) and any(not isinstance(m, ast.Constant) for m in modes)


def moves(node):
    """os.replace, os.rename, Path.replace, Path.rename; not those of texts, tables and dataclasses."""
    name, of = called(node), getattr(node.func, "value", None)
    if name not in ("replace", "rename", "renames", "link", "symlink") or node.keywords or of is None:
        return False
    if isinstance(of, ast.Name) and of.id == "os":
        return True
    return name in ("replace", "rename") and len(node.args) == 1 and isinstance(node.args[0], (ast.Name, ast.BinOp))


def straight_into_a_file(source):
    """Calls that write to a file of their own opening, or put one in the place of another."""
    tree = ast.parse(source)
    known = streams(tree)
    found = set()
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        name = called(node)
        stream = node.args[OF_A_STREAM[name]] if name in OF_A_STREAM and len(node.args) > OF_A_STREAM[name] else None
        ours = (isinstance(stream, ast.Name) and stream.id in known) or ast.unparse(stream or node) == "sys.stdout"
        module = getattr(getattr(node.func, "value", None), "id", "")
        named = stream is not None and not ours and (name != "save" or module in ("np", "numpy"))
        named = named and (name != "to_csv" or isinstance(node.func, ast.Attribute))  # render.to_csv returns the text
        if name == "dump" and (stream is None or (module == "yaml" and not node.args[1:])):
            named = False  # text is the result
        if name in ALWAYS or named or opens_to_write(node) or moves(node) or (module == "shutil" and name == "copy"):
            found.add(ast.unparse(node))
    return found


def test_files_are_written_in_one_way_but_for_logs_journals_and_scratch():
    found = {
        (str(file.relative_to(ROOT)), call)
        for file in sorted(ROOT.rglob("*.py"))
        for call in straight_into_a_file(file.read_text())
    }
    allowed = {(file, call) for file, calls in ALLOWED.items() for call in calls}
    assert not found - allowed, "use gpbench.system.atomic_files.replacing or .writing, or say in ALLOWED why not"
    assert not allowed - found, "no longer there"


@pytest.mark.parametrize("call", [
    "open(p, 'w')", "open(p, mode='ab')", "open(p, 'r+b')", "open(p, mode)", "p.open('x')", "io.open(p, 'wt')",
    "gzip.open(p, 'wb')", "zipfile.ZipFile(p, 'w')", "tarfile.open(p, 'w')", "os.open(p, os.O_WRONLY)",
    "p.write_text(t)", "p.write_bytes(b)", "np.save(p, a)", "np.savez(p, a=a)", "np.savetxt(p, a)", "figure.savefig(p)",
    "table.to_csv(p)", "json.dump(c, open(p, 'w'))", "shutil.copy(a, b)", "shutil.copyfile(a, b)", "shutil.move(a, b)",
    "os.replace(a, b)", "os.rename(a, b)", "a.rename(b)", "a.replace(folder / b)", "pickle.dump(c, f)",
    "np.memmap(p, mode='w+')", "a.tofile(p)", "tempfile.NamedTemporaryFile()", "logging.FileHandler(p)",
])  # fmt: skip
def test_each_way_of_writing_is_found(call):
    assert straight_into_a_file(call), call


@pytest.mark.parametrize("source", [
    "open(p)", "open(p, 'rb')", "p.open(encoding='utf-8')", "gzip.open(p)", "table.to_csv(index=False)",
    "with replacing(p) as f:\n    np.save(f, a)", "out = io.BytesIO()\nfigure.savefig(out, format='svg')",
    "with writing(p) as f:\n    np.savez(f, a=a)", "json.dump(c, sys.stdout)", "text.replace('a', 'b')",
    "dataclasses.replace(x, y=1)", "table.rename(columns=f)", "os.open(p, os.O_RDONLY)", "model.save(p)",
])  # fmt: skip
def test_what_reads_or_writes_in_the_one_way_is_not(source):
    assert not straight_into_a_file(source), source
