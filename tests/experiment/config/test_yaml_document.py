"""YAML is read strictly: each fault of FAULTS.md's config rows has a position, and nothing ends in a traceback."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.errors import ConfigError
from gpbench.experiment.config.yaml_document import fail, parse, read

DEEP = "a: " + "[" * 10_000 + "]" * 10_000
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def complaints(text):
    with pytest.raises(ConfigError) as e:
        fail(parse(text, "f").faults)
    return str(e.value).split("\n")


@pytest.mark.parametrize(
    "text, place, words",
    [
        ("a:\n  b: 1\n c: 2\n", "f:3:2", "bad indentation"),
        ("a: 1\n  b: 2\n", "f:2:4", "bad indentation"),
        ("a: 1\nb: 2\na: 3\n", "f:3:1", "duplicate key 'a' (first on line 1)"),
        ("a: {b: 1, b: 2}\n", "f:1:11", "duplicate key 'b'"),
        ("a: [1, 010]\n", "f:1:8", "'010' is ambiguous"),
        ("a: -007\n", "f:1:4", "'-007' is ambiguous"),
        ("a: 0x1F\n", "f:1:4", "'0x1F' is ambiguous"),
        ("a: .nan\n", "f:1:4", "not a finite number"),
        ("a: -.Inf\n", "f:1:4", "not a finite number"),
        ("a: 1e999\n", "f:1:4", "too large"),
        ("a: 123456789012345678901234567890\n", "f:1:4", "too large"),
        ("a: !!python/object/apply:os.system [ls]\n", "f:1:4", "tag"),
        ("a: !x 1\n", "f:1:4", "the YAML tag '!x' is refused"),
        (BOMB, "f:1:4", "anchors and aliases"),
        ("a: {<<: *b}\n", "f:1:9", "anchors and aliases"),
        (DEEP, "f:1:53", "nested more than 50 deep"),
        ("a: 1\n---\nb: 2\n", "f:2:1", "a second document"),
        ("1: a\n", "f:1:1", "the key '1' must be text"),
        ("? [a]\n: b\n", "f:1:3", "a key must be plain text"),
        ("a: 'open\n", "f:2:1", "not valid YAML"),
        ("a: \x07\n", "f:1:4", "is not allowed"),
        ('a: "\\ud800"\n', "f:1:4", "surrogate"),
        ('{"x\\n\\e[31m": 1, "x\\n\\e[31m": 2}\n', "f:1:18", "duplicate key 'x\\n\\x1b[31m'"),
    ],
)
def test_a_fault_is_reported_at_its_line_and_column(text, place, words):
    first = complaints(text)[0]
    assert first.startswith(place + ": ") and words in first


def test_recoverable_faults_are_listed_together_in_the_order_of_the_text():
    found = complaints("z: .inf\na: 010\nb: !t 1\na: 2\n")
    assert [line.split(": ")[0] for line in found] == ["f:1:4", "f:2:4", "f:3:4", "f:4:1"]


@pytest.mark.parametrize(
    "text, value",
    [
        ("1e-3", 1e-3), ("1E5", 1e5), (".5", 0.5), ("1.", 1.0), ("-2", -2), ("+3", 3), ("0", 0), ("0.25", 0.25),
        ("true", True), ("false", False), ("null", None), ("~", None), ("", None),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("Off", "Off"), ("True", "True"), ("1_000", "1_000"),
        ("1:30", "1:30"), ("2001-01-01", "2001-01-01"), ("'010'", "010"), ('"1"', "1"),
    ],
)  # fmt: skip
def test_plain_values_are_those_of_yaml_1_2(text, value):
    found = parse(f"a: {text}\n", "f").data["a"]
    assert found == value and type(found) is type(value)


def test_keys_and_values_have_positions():
    marks = parse("a: 1\nb:\n  - x\n  - {c: 2}\n", "f").marks
    assert (marks["b",].key, marks["b",].value) == ((2, 1), (3, 3))
    assert marks["b", 0].value == (3, 5)
    assert (marks["b", 1, "c"].key, marks["b", 1, "c"].value) == ((4, 6), (4, 9))


@pytest.mark.parametrize(
    "content, place, words",
    [
        (b"", ":1:1", "empty"),
        (b"# only a comment\n", ":1:1", "empty"),
        (b"- a\n- b\n", ":1:1", "mapping"),
        (b"just text", ":1:1", "mapping"),
        (b"a: 1\nb: \xff\n", ":2:4", "0xff is not UTF-8"),
        (b"a:\n\tb: 1\n", ":2:1", "tab"),
        (b"a:\n  b:\n  \tc: 1\n\td: 2\n", ":3:3", "tab"),
        (b"a: " + b"x" * 1_000_001, ":1:1", "larger than"),
    ],
)
def test_a_file_that_is_no_config_is_refused_with_its_place(tmp_path, content, place, words):
    file = tmp_path / "c.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as e:
        read(file)
    assert str(e.value).startswith(f"{file}{place}: ") and words in str(e.value) and e.value.exit_code == 2


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "absent.yaml")
    with pytest.raises(ConfigError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read("a\0b.yaml")


def test_windows_line_ends_and_a_byte_order_mark_are_harmless(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: [2]\r\n")
    document = read(file)
    assert document.data == {"a": 1, "b": [2]} and document.marks["b",].key == (2, 1)


def test_deep_nesting_is_refused_quickly():
    start = time.perf_counter()
    with pytest.raises(ConfigError):
        parse("[" * 500_000, "f")
    with pytest.raises(ConfigError):
        parse("- " * 200_000, "f")
    assert time.perf_counter() - start < 20


yaml_like = st.text(alphabet="ab:-[]{},\n 01.e'\"#&*!|>%?\\x\tU~<\ud7ff\x85", max_size=60)


@given(st.one_of(st.text(max_size=60), yaml_like))
@settings(max_examples=600, deadline=None)
def test_any_text_gives_plain_data_or_a_config_error(text):
    try:
        document = parse(text, "f")
        fail(document.faults)
    except ConfigError as e:
        assert all(line.startswith("f:") for line in str(e).split("\n") if line)
        return
    assert plain(document.data)


@given(st.binary(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_bytes_give_a_document_or_a_config_error(tmp_path_factory, raw):
    file = tmp_path_factory.mktemp("fuzz") / "c.yaml"
    file.write_bytes(raw)
    try:
        assert isinstance(read(file).data, dict)
    except ConfigError as e:
        assert str(file) in str(e)


def plain(value):
    if isinstance(value, dict):
        return all(isinstance(k, str) and plain(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or isinstance(value, bool | int | float | str)
