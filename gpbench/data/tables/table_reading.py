"""Read a person's table: the rule of every column, the arrays, and what is told about them.

`look_table` is the counterpart of csv_file.look for `columns: auto`; nothing is refused that can be read honestly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpbench.errors import DataError
from gpbench.system import progress
from gpbench.text import nearest

from ..labels import numbered
from ..leaks import single_leaks
from .column_kinds import Draft, Options, as_text, draft
from .column_rules import ColumnRule, Reading, distinct, fold, is_gap, plain_numbers
from .csv_columns import Choices, Look, name_faults
from .csv_words import Say, called, is_number
from .number_format import Hints
from .table_text import RawColumn, RawTable

MOST_CLASSES = 20  # texts that a target may have to be taken for classes


def look_table(source, table: RawTable, target: str, task: str, choices: Choices, say: Say) -> Look:
    """The arrays of a table and its rules; faults instead where it cannot be read."""
    faults = [f"{source}: {fault}" for fault in name_faults(table.names, target, choices, say)]
    if faults:
        return Look(faults, table.told)
    reading, faults = reading_of(source, table, target, choices, say)
    remarks = list(table.told)
    if reading is None:
        return Look(faults, remarks)
    try:
        task, kept, y, labels = _target(source, table, reading.rule(target), task, say, remarks)
        (kept, rows), of_rows = _of_rows(source, table, reading.columns, kept, choices, remarks)
    except DataError as e:
        return Look([str(e)], remarks)
    y = y[rows]
    used = RawTable([_kept(table.column(r.name), kept) for r in reading.used], [table.lines[i] for i in kept])
    X, _, _ = reading.encode(source, used)
    whole, faults = _whole_rows(source, X, kept, reading, say, remarks)
    if faults:
        return Look(faults, remarks)
    X, y, kept = X[whole], y[whole], kept[whole]
    of_rows = {k: v[whole] for k, v in of_rows.items()}
    if len(y) > 1 and not np.ptp(y):
        remarks.append(f"{source}: column '{target}', the target, is constant ({y[0]:g}): nothing is to be learned")
    reading = _with_leaks(reading, X, y, say)
    remarks += [f"{source}: {c.warning}" for c in reading.columns if c.warning]
    return Look([], remarks, reading, X, y, labels, str(source), kept + 1, task=task, **of_rows)


def reading_of(source, table: RawTable, target: str | None, choices: Choices, say: Say):
    """(the rules of the columns or None, faults); `target` is None where the targets are no column of the table."""
    faults = [
        f"{source}: {say('column')}: has no column '{name}'{nearest(name, table.names, 'its columns are')}"
        for name in choices.columns_chosen
        if name not in table.names
    ]
    if faults:
        return None, faults
    drafts = _drafts(table, target, choices, say)
    faults = [f"{source}: {d.question}" for d in drafts.values() if d.question and d.rule.use != "left out"]
    rules = _copies(table, drafts)
    if not faults and not any(r.use == "input" for r in rules):
        besides = "" if target is None else f" besides the target '{target}'"
        faults = [f"{source}: no column{besides} can be an input:{_why_none(rules)}"]
    if faults:
        return None, faults
    found = Reading(tuple(rules), choices.gaps, choices.encoding or "", choices.sep or "", table.separator)
    return found, []


def options_of(choices: Choices) -> Options:
    given = choices.decimal is not None or choices.thousands is not None
    hints = Hints(choices.decimal, choices.thousands, given)
    levels = {} if choices.levels is None else {"levels": choices.levels}
    return Options(choices.gaps, chosen=choices.columns_chosen, given=hints, **levels)


def _drafts(table: RawTable, target: str | None, choices: Choices, say: Say) -> dict[str, Draft]:
    """A draft of every column that is used; a column that can be read in two ways is read as the others are."""
    options = options_of(choices)
    uses = dict.fromkeys(table.names, "left out")
    uses |= {name: "input" for name in choices.inputs or table.names if name not in (choices.drop or [])}
    uses |= dict.fromkeys(choices.drop or [], "left out")
    uses |= {name: key for key, name in (("weight", choices.weight), ("noise", choices.noise)) if name is not None}
    if target is not None:
        uses[target] = "target"
    found = {}
    for j, column in enumerate(table.columns):
        progress.step("reading columns", j, len(table.columns))
        use = uses[column.name]
        if use == "left out":
            found[column.name] = Draft(ColumnRule(column.name, "text", use, facts=("by choice",)))
        else:
            found[column.name] = draft(column, options, options.given, say, use)
    if not options.given.given:
        signs = {d.sure for d in found.values() if d.sure}
        comma = table.separator == ";" and not signs
        point = table.separator == "," and not signs  # who writes 1,5 parts fields by semicolons
        hint = Hints(decimal="," if signs == {","} or comma else "." if signs == {"."} or point else None)
        if hint.decimal is not None:
            again = [c for c in table.columns if found[c.name].doubt or _dotted(c, found[c.name], hint)]
            for column in again:
                if not comma or found[column.name].doubt:
                    column.values = None
                    found[column.name] = draft(column, options, hint, say, uses[column.name])
    return found


def _dotted(column: RawColumn, found: Draft, hint: Hints) -> bool:
    """Whether plain numbers are to be read again because the table has a decimal comma."""
    number = found.rule.number
    return (
        hint.decimal == ","
        and number is not None
        and number.decimal == "."
        and not number.thousands
        and any(isinstance(c, str) and "." in c for c in column.cells)
    )


def _copies(table: RawTable, drafts: dict[str, Draft]) -> list[ColumnRule]:
    """The rules; a column equal to an earlier one is left out, and so is a 0/1 input for the same gaps."""
    seen: dict[tuple, str] = {}
    gaps: dict[bytes, str] = {}
    rules = []
    for column in table.columns:
        d = drafts[column.name]
        rule = d.rule
        if rule.use in ("input", "target"):
            key = _key(column, d)
            if key in seen and rule.use == "input":
                rule = replace(rule, kind="copy", use="left out", facts=(f"equal to column '{seen[key]}'",))
            elif key is not None and rule.use == "input":
                seen[key] = column.name
        if rule.use == "input" and rule.gap_input:
            values = column.days if rule.kind == "date" and column.days is not None else column.values
            pattern = b"" if values is None else np.packbits(np.isnan(values)).tobytes()
            if pattern and pattern in gaps:
                same = f"missing in the rows of column '{gaps[pattern]}'"
                rule = replace(rule, gap_input=False, facts=(*rule.facts, same))
            gaps.setdefault(pattern, column.name)
        rules.append(rule)
    return rules


def _key(column: RawColumn, d: Draft) -> tuple | None:
    if d.codes is not None:
        return ("levels", d.codes.tobytes())
    values = column.days if d.rule.kind == "date" else column.values
    return None if values is None else ("numbers", np.asarray(values, dtype=float).tobytes())


def _why_none(rules: list[ColumnRule]) -> str:
    out = [f" '{r.name}' ({r.kind}: {'; '.join(r.facts)})" for r in rules if r.use in ("left out", "id")]
    return ",".join(out[:5]) or " there is no other column"


def _kept(column: RawColumn, rows: np.ndarray) -> RawColumn:
    """The column's cells in some of the rows."""
    if len(rows) == len(column.cells or column.values):
        return column
    return RawColumn(
        column.name, [column.cells[i] for i in rows] if column.cells else [],
        None if column.values is None else np.asarray(column.values)[rows],
        None if column.days is None else np.asarray(column.days)[rows],
    )  # fmt: skip


# -- the target, weights, gaps ---------------------------------------------------------------------------------------


def _target(source, table: RawTable, rule: ColumnRule, task: str, say: Say, remarks: list[str]):
    """(task, rows that have a target, their targets, names of two classes)."""
    column = table.column(rule.name)
    if task == "classification" or (task == "auto" and rule.kind not in ("number", "id", "date", "time", "empty")):
        return "classification", *_classes(source, column, task, say, remarks)
    if rule.kind in ("date", "time"):
        raise DataError(f"{source}: {called(rule.name)}, the target, is a {rule.kind}; make it a number first")
    values = _numbers(column, rule)
    if values is None:
        shown = next((c.strip() for c in column.cells if not is_gap(c) and not _is_finite(c.strip())), "")
        what = "not finite" if is_number(shown) else "text, not a number"
        few = len({fold(c) for c in column.cells if not is_gap(c)}) <= MOST_CLASSES
        hint = f"; for classes {say('task', 'classification')}" if few and not is_number(shown) else ""
        row = next((i + 1 for i, c in enumerate(column.cells) if c is not None and c.strip() == shown), 1)
        if not shown:
            raise DataError(f"{source}: {called(rule.name)}, the target, has no value")
        raise DataError(f"{source}: {called(rule.name)}, row {row}: '{shown[:40]}' is {what}{hint}")
    kept = np.flatnonzero(np.isfinite(values))
    _tell_without_target(source, len(values) - len(kept), len(values), remarks)
    return "regression", kept, values[kept], ()


def _is_finite(cell: str) -> bool:
    return is_number(cell) and bool(np.isfinite(float(cell)))


def _numbers(column: RawColumn, rule: ColumnRule) -> np.ndarray | None:
    """Targets as they are read; None where one is no number."""
    if column.values is not None:
        return np.asarray(column.values, dtype=float)
    return rule.values(column)[0] if rule.kind == "number" else plain_numbers(column.cells)


def _tell_without_target(source, count: int, n: int, remarks: list[str]) -> None:
    if count == n:
        raise DataError(f"{source}: no row has a target")
    if count:
        rows = "1 row has" if count == 1 else f"{count} rows have"
        remarks.append(f"{source}: {rows} no target and {'is' if count == 1 else 'are'} left out")


def _classes(source, column: RawColumn, task: str, say: Say, remarks: list[str]):
    """(rows with a class, their numbers, labels): numbers in their order, no before yes, texts by the alphabet."""
    as_text(column)
    cells, codes = distinct(column.cells)
    names: dict[str, str] = {}
    for c in cells:
        if not is_gap(c):
            names.setdefault(fold(c), " ".join(c.split()))
    count = int(sum(not is_gap(c) for c in column.cells))
    if len(names) < 2:
        raise DataError(
            f"{source}: {called(column.name)} has one class ({', '.join(names.values())}); it needs two or more"
        )
    if len(names) > (max(2, count / 2) if task == "classification" else min(MOST_CLASSES, max(2, count / 10))):
        shown = ", ".join(list(names.values())[:3])
        hint = f"; is it to be a number? {say('column', f'{column.name}=number')}"
        raise DataError(
            f"{source}: {called(column.name)} has {len(names)} classes ({shown}, ...) in {count} rows{hint}"
        )
    keys = sorted(names, key=_class_order)
    number = dict(zip(keys, numbered(np.array(keys, dtype=object), keys)))
    value = np.array([np.nan if is_gap(c) else number[fold(c)] for c in cells])[codes]
    kept = np.flatnonzero(np.isfinite(value))
    _tell_without_target(source, len(value) - len(kept), len(value), remarks)
    return kept, value[kept], tuple(names[key] for key in keys)


def _class_order(key: str) -> tuple:
    return (0, float(key), key) if is_number(key) else (1, 0.0, key)


def _of_rows(source, table: RawTable, rules, kept: np.ndarray, choices: Choices, remarks: list[str]):
    """Rows whose weight is not 0, and the weights and noise variances of the rows kept."""
    found = {}
    for key, name in (("weight", choices.weight), ("noise_variance", choices.noise)):
        if name is None:
            continue
        column = table.column(name)
        rule = next(r for r in rules if r.name == name)
        values = (
            np.full(table.n, np.nan)
            if rule.kind in ("text", "category", "boolean", "date", "time")
            else (np.asarray(column.values if column.values is not None else rule.values(column)[0], dtype=float))
        )
        values = values[kept]
        if (bad := ~(values >= 0)).any():
            i = kept[int(np.argmax(bad))]
            cell = str(column.cells[i])[:40] if column.cells else f"{values[int(np.argmax(bad))]:g}"
            raise DataError(f"{source}: {called(name)}, row {i + 1}: '{cell}' is no number >= 0")
        found[key] = values
    rows = np.ones(len(kept), dtype=bool)
    if "weight" in found and not (rows := found["weight"] > 0).all():
        if not rows.any():
            raise DataError(f"{source}: {called(choices.weight)}: every weight is 0")
        remarks.append(f"{source}: {int((~rows).sum())} rows have the weight 0 and are left out")
    return (kept[rows], rows), {key: values[rows] for key, values in found.items()}


def _whole_rows(source, X, kept, reading: Reading, say: Say, remarks: list[str]):
    """(rows that stay after `missing: drop`, faults of `missing: refuse`)."""
    every = np.ones(len(X), dtype=bool)
    gaps = np.isnan(X)
    if reading.missing not in ("drop", "refuse") or not gaps.any():
        return every, []
    if reading.missing == "refuse":
        i, j = (int(v) for v in np.argwhere(gaps)[0])
        hint = f"drop the row or fill it in ({say('missing', 'drop', 'median')})"
        return every, [f"{source}: {called(reading.inputs[j])}, row {kept[i] + 1}: missing value; {hint}"]
    whole = ~gaps.any(1)
    if not whole.any():
        return every, [f"{source}: every row has a missing value: drop the columns they are in"]
    remarks.append(f"{source}: {int((~whole).sum())} of {len(X)} rows have missing values and are dropped")
    return whole, []


def _with_leaks(reading: Reading, X: np.ndarray, y: np.ndarray, say: Say) -> Reading:
    """A warning for each column that predicts the target almost exactly alone."""
    names = {reading.inputs[j] for j in single_leaks(X, y, np.flatnonzero(reading.numbers))}
    columns = []
    for rule in reading.columns:
        if rule.use == "input" and rule.name in names:
            why = f"{called(rule.name)} alone predicts the target almost exactly: is it known before the target is?"
            rule = replace(rule, warning=f"{why} Leave it out otherwise: {say('drop', rule.name)}")
        columns.append(rule)
    return replace(reading, columns=tuple(columns))
