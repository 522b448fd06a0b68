"""The user's own csv file: what is read, and one sentence with column and row for what is not."""

import numpy as np
import pytest

from gpbench import data
from gpbench.data.tables.csv_file import file_hash
from gpbench.errors import DataError


@pytest.fixture
def write(tmp_path):
    def write(content, name="my.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def load(path, target="y", **more):
    return data.load({"csv": path, "target": target, **more})


@pytest.mark.parametrize("separator", [",", ";", "\t", " , "])
def test_columns_but_the_target_are_inputs_in_their_order(write, separator):
    lines = ["a", "y", "b"], ["1", "-2.5", "3e-2"], ["4", "5", "6"]
    d = load(write("\r\n".join(separator.join(x) for x in lines) + "\r\n"))
    assert np.array_equal(d.X, [[1, 0.03], [4, 6]]) and np.array_equal(d.y, [-2.5, 5])
    assert (d.name, d.task, len(d.sha256)) == ("my", "regression", 64)


def test_quoted_cells_blank_lines_and_a_byte_order_mark_are_read(write):
    d = load(write(b'\xef\xbb\xbf"a b","y"\n\n"1","2"\n3,4\n'), target="y")
    assert np.array_equal(d.X[:, 0], [1, 3])


@pytest.mark.parametrize(
    "content,message",
    [
        ("a,y\n1,2\nred,3\n", "column 'a', row 2: 'red' is text, not a number"),
        ("a,y\n1,2\n,3\n", "column 'a', row 2: missing value"),
        ("a,y\n1,2\n3,NA\n", "column 'y', row 2: missing value"),
        ("a,y\n1,2\n3,nan\n", "column 'y', row 2: missing value"),
        ("a,y\n1,2\n3,inf\n", "column 'y', row 2: inf is not finite"),
        ("a,y\n1,2\n3,-1e200\n", "column 'y', row 2: -1e200 is too large"),
        ("a,y\n1,2\n1e200,3\n", "column 'a', row 2: 1e200 is too large"),
        ("a,y\n1,2\n1_000,3\n", "column 'a', row 2: '1_000' is text"),
        ("a,y\n1,2\n3\n", "row 2 has 1 fields, the header 2"),
        ("a,b\n1,2\n", "has no column 'y'; its columns are a, b"),
        ("a,a,y\n1,2,3\n", "two columns are called 'a'"),
        ("1,2\n3,4\n", "first line is numbers"),
        ("y\n1\n", "no column besides the target"),
        ("a,y\n", "at least one row"),
        ("", "at least one row"),
        (b"a,y\n\xff\xfe,1\n", "is not UTF-8"),
        ("a,y\n1,\x002\n", "line 2 has a NUL byte"),
    ],
)
def test_what_is_wrong_is_named_in_one_sentence(write, content, message):
    with pytest.raises(DataError) as e:
        load(write(content))
    assert message in str(e.value) and "\n" not in str(e.value) and e.value.exit_code == 3


def test_two_classes_of_any_name_become_signs(write):
    d = load(write("a,y\n1,yes\n2,no\n3,yes\n"), task="classification")
    assert list(d.y) == [1, -1, 1] and d.task == "classification"
    d = load(write("a,y\n1,10\n2,9\n"), task="classification")
    assert list(d.y) == [1, -1]  # compared as numbers, not as text


@pytest.mark.parametrize(
    "labels,message", [("abc", "has 3 classes (a, b, c, ...) in 3 rows; a class needs several rows"),
                       ("aaa", "one class (a)"), ("a?b", "row 2: missing class")]
)  # fmt: skip
def test_labels_that_are_no_classes_are_refused(write, labels, message):
    content = "x,y\n" + "".join(f"{i},{c}\n" for i, c in enumerate(labels))
    with pytest.raises(DataError) as e:
        load(write(content), task="classification")
    assert message in str(e.value)


def test_more_classes_become_numbers_from_zero(write):
    d = load(write("a,y\n" + "".join(f"{i},{c}\n" for i, c in enumerate("bcabca"))), task="classification")
    assert list(d.y) == [1, 2, 0, 1, 2, 0] and d.labels == ("a", "b", "c") and d.kind.classes == 3


def test_a_file_that_changed_since_the_plan_is_refused(write):
    path = write("a,y\n1,2\n3,4\n")
    planned = file_hash(path)
    assert load(path, sha256=planned).n == 2
    write("a,y\n1,2\n3,5\n")
    with pytest.raises(DataError, match="has changed since the run was planned"):
        load(path, sha256=planned)


def test_a_missing_file_a_folder_and_an_unknown_task_are_named(tmp_path, write):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(DataError, match=str(path)):
            load(str(path))
    assert not data.at_hand({"csv": str(tmp_path / "none.csv"), "target": "y"})
    with pytest.raises(DataError, match="task 'ranking'"):
        load(write("a,y\n1,2\n"), task="ranking")


@pytest.mark.parametrize(
    "content, message",
    [
        ('a,y\n1,2\n"3,4\n5,6\n', 'line 3: a quote (") is opened and never closed'),
        ('a,y\n1,2\n3,"4', 'line 3: a quote (") is opened and never closed'),
        ('a,y\n"1,2\n' + "1,2\n" * 50_000, "line 2: is no row of separated text"),
        ("a,y\n1,2\n\n\nx,3\n5,6\n", "column 'a', row 2 (line 5): 'x' is text"),
        ("a,y\n\n1,2\n3,x\n", "column 'y', row 2 (line 4): 'x' is text"),
        ("\na,y\n1,2\n3\n", "row 2 (line 4) has 1 fields"),
        ('a,y\n"1",2\n3,x\n', "column 'y', row 2: 'x' is text"),
    ],
)
def test_open_quotes_are_told_and_lines_where_they_differ_from_rows(write, content, message):
    with pytest.raises(DataError) as e:
        load(write(content))
    assert message in str(e.value) and "\n" not in str(e.value)


def test_a_quote_that_is_closed_on_another_line_is_none_that_is_open(write):
    d = load(write('a,y\n1,2\n"3\n","4"\n'))
    assert np.array_equal(d.y, [2, 4]) and np.array_equal(d.X[:, 0], [1, 3])
