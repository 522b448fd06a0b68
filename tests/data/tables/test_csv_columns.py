"""CSV as people have it: text, gaps, ids; what the config says about them, and every problem at once."""

import numpy as np
import pytest
from click.testing import CliRunner

from gpbench.cli import cli
from gpbench.data.tables import csv_file
from gpbench.data.tables.csv_columns import Choices
from gpbench.data.tables.csv_words import as_option, in_config, number_form
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan

TABLE = "id,size,colour,fixed,price\n" + "".join(
    f"{i},{size},{colour},7,{price}\n"
    for i, (size, colour, price) in enumerate(
        [("1.5", "red", 10), ("", "blue", 20), ("2.5", "red", 30), ("4", "", 40), ("3", "green", 50)] * 4, start=1
    )
)
CHOICES = "drop: [id, fixed], categorical: one-hot, missing: median"


@pytest.fixture
def write(tmp_path):
    def write(entry, table=TABLE, more=""):
        (tmp_path / "my.csv").write_text(table)
        (tmp_path / "c.yaml").write_text(
            f"name: c\ndataset: {{csv: my.csv, target: price{entry and ', ' + entry}}}\n"
            f"hyperparameters: {{schedule: joint, evaluations: 2}}\nmethods: [full-gp]\n{more}"
        )
        return tmp_path / "c.yaml"

    return write


def look(tmp_path, table=TABLE, target="price", task="regression", **choices):
    (tmp_path / "my.csv").write_text(table)
    return csv_file.look(str(tmp_path / "my.csv"), target, task, Choices(**choices))


def test_text_becomes_one_input_per_level_and_gaps_stay_gaps_until_rows_are_drawn(tmp_path):
    found = look(tmp_path, drop=["id", "fixed"], categorical="one-hot", missing="median")
    assert found.encoding.inputs == ["size", "colour=blue", "colour=green", "colour=red"]
    assert np.array_equal(found.X[0], [1.5, 0, 0, 1]) and np.isnan(found.X[1, 0])
    assert np.array_equal(found.X[3, 1:], [0, 0, 0])  # a missing colour is no colour


def test_medians_are_those_of_the_training_part(write):
    trial = plan(load_config(write(CHOICES, more="split: {kind: first, n_train: 4}\n"))).trials[0]
    draw = trial_data(trial)
    assert draw.dataset.X[1, 0] == 2.5  # of 1.5, 2.5, 4: the fifth row, 3, is not in it
    assert np.isfinite(draw.dataset.X).all()


def test_rows_with_gaps_are_dropped_when_the_config_says_so_and_the_notes_tell(write):
    config = load_config(write("drop: [id, fixed], categorical: one-hot, missing: drop"))
    draw = trial_data(plan(config).trials[0])
    assert draw.dataset.n == 12 and any("8 of 20 rows" in note for note in draw.dataset.notes)


def test_inputs_are_the_listed_columns_in_their_order(tmp_path):
    found = look(tmp_path, inputs=["fixed", "id"])
    assert found.encoding.inputs == ["fixed", "id"] and not found.faults


def test_every_problem_of_the_file_is_listed_at_once_with_exit_code_3(write):
    path = write("drop: [idd], inputs: [size]")
    with pytest.raises(DataError) as e:
        load_config(path)
    text = str(e.value)
    assert "`drop`: has no column 'idd'; did you mean 'id'?" in text and "give `drop` or `inputs`, not both" in text
    assert "column 'size', row 2: missing value (4 in this column)" in text and ":2:" in text
    with pytest.raises(DataError) as e:
        load_config(write(""))
    lines = str(e.value).splitlines()
    assert len(lines) == 3 and "column 'colour', row 1: 'red' is text" in "".join(lines)
    ran = CliRunner().invoke(cli, ["run", "-n", str(path)])
    assert isinstance(ran.exception, DataError) and ran.exception.exit_code == 3


def test_a_problem_of_the_config_beside_those_of_the_file_is_a_config_error(write):
    with pytest.raises(ConfigError) as e:
        load_config(write("", more="sead: 3\n"))
    assert "did you mean 'seed'" in str(e.value) and "column 'size'" in str(e.value)


@pytest.mark.parametrize(
    "entry, message",
    [
        ("categorical: one_hot", "'categorical': expected 'refuse' or 'one-hot'"),
        ("missing: mean", "'missing': expected 'refuse', 'drop', 'median' or 'auto'"),
        ("drop: id", "'drop': expected a list"),
        ("catagorical: one-hot", "did you mean 'categorical'"),
        ('label: ""', "'label': expected up to 60 printable characters"),
    ],
)
def test_wrong_keys_and_values_are_named(write, entry, message):
    with pytest.raises(ConfigError) as e:
        load_config(write(entry))
    assert message in str(e.value)


@pytest.mark.parametrize(
    "table, message",
    [
        ("a,price\nx,\ny,2\nx,3\n", "missing value of the target, which no median can stand in for"),
        ("a,price\n,1\n,2\n", "column 'a' has no values"),
        ("a,price\n1,1\nx,2\n3,4\n", "column 'a', row 2: 'x' is text, not a number"),
        (
            "a,price\n" + "".join(f"name{i},{i}\n" for i in range(30)),
            "'name0' is text, not a number; 30 different texts in 30 rows; drop: [a]",
        ),
    ],
)
def test_what_no_choice_can_mend_is_a_problem(tmp_path, table, message):
    found = look(tmp_path, table, categorical="one-hot", missing="median")
    assert message in "\n".join(found.faults)


def test_id_like_and_constant_columns_are_pointed_out_by_validate_and_the_dry_run(write):
    path = write("categorical: one-hot, missing: median")
    for command in (["validate"], ["run", "-n"]):
        told = CliRunner().invoke(cli, [*command, str(path)])
        assert told.exit_code == 0, told.output
        assert "column 'id' looks like an id" in told.output and "column 'fixed' is constant (7)" in told.output
    assert "looks like" not in CliRunner().invoke(cli, ["validate", str(write(CHOICES))]).output


def test_a_constant_target_and_repeated_rows_are_pointed_out_with_rows_of_the_file(write):
    table = "size,price\n1,7\n,7\n2,7\n1,7\n1,7\n3,7\n"
    for command in (["validate"], ["run", "-n"]):
        told = CliRunner().invoke(cli, [*command, str(write("missing: drop", table))]).output
        assert "column 'price', the target, is constant (7)" in told, told
        assert "2 rows have the inputs of another row (row 4 is the first)" in told


def test_a_wrong_target_is_named_by_its_row_in_the_file_where_rows_before_it_are_dropped(tmp_path):
    (found,) = look(tmp_path, "size,price\n,1\n2,2\n3,much\n", missing="drop").faults
    assert found.endswith("column 'price', row 3: 'much' is text, not a number")


@pytest.mark.parametrize(
    "table, split, message",
    [
        ("size,price\n1,7\n", "default", "my.csv has 1 row: with 1 for training none is left for testing"),
        (
            "size,price\n1,7\n2,5\n3,4\n",
            "{kind: random, n_train: 9}",
            "my.csv has 3 rows: with 9 for training none is left",
        ),
        ("size,price\n1,7\n2,5\n3,4\n", "{kind: folds, k: 4}", "my.csv has 3 rows: 4 folds are not between 2 and that"),
        ("size,price\n1,7\n2,5\n3,4\n", "{kind: published}", "my.csv has no published split"),
    ],
)
def test_rows_that_cannot_be_split_are_told_when_the_config_is_read(write, table, split, message):
    with pytest.raises(DataError) as e:
        load_config(write("", table, more=f"split: {split}\n"))
    assert message in str(e.value) and "\n" not in str(e.value)


def test_choices_enter_the_identity_where_given_and_a_label_does_not(write):
    def trial(entry, table="size,price\n1,2\n2,3\n4,5\n5,6\n7,8\n9,9\n"):
        return plan(load_config(write(entry, table))).trials[0]

    plain = trial("")
    assert "missing" not in plain.dataset
    assert trial("missing: drop").id != plain.id and trial("inputs: [size]").id != plain.id
    named = trial("label: houses")
    assert named.id == plain.id and named.data_key == plain.data_key and named.path_key == plain.path_key
    assert named.dataset_name == "houses"


def test_a_name_that_has_little_in_common_is_no_suggestion(tmp_path):
    (found,) = look(tmp_path, "size,price\n1,2\n", target="temperature").faults
    assert found.endswith("has no column 'temperature'; its columns are size, price")
    (found,) = look(tmp_path, "size,price\n1,2\n", target="Prize").faults
    assert found.endswith("has no column 'Prize'; did you mean 'price'?")


@pytest.mark.parametrize(
    "cell, form",
    [("{}34,7", "decimal comma?"), ("{}.5 m2", "a unit?"), ("{}%", "a unit?"), ("${}", "a unit?"),
     ('"{},250.5"', "thousands separated?")],
)  # fmt: skip
@pytest.mark.parametrize("categorical", ["refuse", "one-hot"])
def test_numbers_written_as_text_are_shown_and_not_advised_to_be_dropped(tmp_path, cell, form, categorical):
    cells = [cell.format(i) for i in range(100, 140)]
    table = "size;price\n" + "".join(f"{c};{i}\n" for i, c in enumerate(cells))
    (fault,) = look(tmp_path, table, categorical=categorical).faults
    shown = cells[0].strip('"')
    assert f"column 'size', row 1: '{shown}' is text, not a number ({form})" in fault
    assert fault.endswith("40 different texts in 40 rows; write plain numbers")


def test_a_target_of_decimal_commas_is_told_and_few_such_levels_are_a_remark(tmp_path):
    (fault,) = look(tmp_path, "a;price\n1;2,5\n2;3,5\n4;5\n").faults
    assert fault.endswith("column 'price', row 1: '2,5' is text, not a number (decimal comma?)")
    found = look(tmp_path, "a;price\n" + "1,5;2\n2,5;3\n" * 9, categorical="one-hot")
    assert not found.faults and "text such as '1,5' (decimal comma?) becomes one input per level" in found.remarks[0]


def test_texts_that_only_begin_with_a_number_have_no_form():
    assert not number_form(["2020-01-31", "2020-02-01"]) and not number_form(["12a", "7b", "3c"])
    assert not number_form(["red", "1,5"]) and not number_form([])


def test_dates_are_never_offered_as_one_hot(tmp_path):
    table = "day,price\n" + "".join(f"2020-{m:02d}-{d:02d},{d}\n" for m in (1, 2, 3) for d in range(1, 20))
    (fault,) = look(tmp_path, table).faults
    assert fault.endswith("'2020-01-01' is text, not a number; 57 different texts in 57 rows; drop: [day]")


def test_a_remedy_is_given_in_the_readers_language(tmp_path):
    (tmp_path / "my.csv").write_text("id,size,kind,price\n1,2,a,yes\n2,,b,no\n3,4,c,yes\n")
    choices = Choices(drop=["id,size"], categorical="one-hot")

    def told(task, say, **more):
        found = csv_file.look(str(tmp_path / "my.csv"), "price", task, choices.model_copy(update=more), say)
        return "\n".join([*found.faults, *found.remarks])

    config, options = told("regression", in_config), told("regression", as_option)
    assert "`drop`: has no column 'id,size'; each by itself: drop: [id, size]" in config
    assert "--drop: has no column 'id,size'; each by itself: --drop id --drop size" in options
    assert "(missing: drop | median)" in config and "(--missing drop|median)" in options
    assert "'yes' is text, not a number; for classes task: classification" in config
    assert "for classes --task classification" in options
    assert "drop: [id]" in config and "looks like an id, another number in every row; --drop id" in options


@pytest.mark.parametrize("task, what", [("regression", "value"), ("classification", "class")])
def test_a_missing_target_is_told_how_to_be_dropped(tmp_path, task, what):
    (fault,) = look(tmp_path, "a,price\n1,1\n2,\n3,0\n", task=task).faults
    assert f"row 2: missing {what}; drop the row or fill it in (missing: drop)" in fault


def test_a_column_without_a_name_can_be_dropped(tmp_path):
    table = ",size,price\n0,1.5,2\n1,2.5,2\n2,1.5,7\n"
    (remark,) = look(tmp_path, table).remarks
    assert 'the column without a name looks like an id, another number in every row; drop: [""]' in remark
    assert look(tmp_path, table, drop=[""]).encoding.inputs == ["size"]


def test_names_are_checked_beside_wrong_choices_and_an_input_is_named_once(write):
    with pytest.raises(ConfigError) as e:
        load_config(write("drop: [id, fixd], categorical: onehot, missing: mean"))
    text = str(e.value)
    assert all(w in text for w in ("'categorical': expected", "'missing': expected", "did you mean 'fixed'?")), text
    with pytest.raises(DataError) as e:
        load_config(write("inputs: [id, id]"))
    assert "`inputs`: names column 'id' twice" in str(e.value)
