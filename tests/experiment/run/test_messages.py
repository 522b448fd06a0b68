"""Messages between session, executors and job processes: written and read in one place, foreign bytes passed over."""

import json
import os
import select
from dataclasses import replace

import pytest

from gpbench.experiment.run.local import worker
from gpbench.experiment.run.local.executor import LocalExecutor
from gpbench.experiment.run.messages import (
    Exited,
    FullGPFailed,
    Job,
    Kill,
    MessageReader,
    Ready,
    Renew,
    RunContext,
    Started,
    StorageFailed,
    TrialDone,
    Working,
    decode,
    encode,
)
from tests.helpers.driver import run_here, trial

MESSAGES = [
    RunContext("out", ("a.py",), {"x.csv": "copy.csv"}, 300, True, ("nmse",), "tcp://a:1"),
    RunContext("out", (), {}, None, False, (), None),
    Job(3, (trial("fake-path", d_max=3), trial("fake-path", d_max=7)), needs_full_gp="abc", env="e"),
    Kill(3),
    Renew(),
    Ready({"cpu": "Z80", "blas": [{"num_threads": 1}]}),
    Started(3, "e", None),
    Started(3, "e", 4711),
    Working(3, "evaluation 4"),
    TrialDone(3, "0123"),
    StorageFailed(3, "disk full"),
    FullGPFailed(3, "nonpsd: é\n"),
    Exited(3, -9, 12.5, True),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_is_read_as_it_was_written(message):
    assert decode(encode(message)) == message
    assert encode(message).count(b"\n") == 2, "one line between two line ends"


def test_a_job_that_was_sent_has_the_trials_of_the_plan():
    job = next(m for m in MESSAGES if isinstance(m, Job))
    assert [t.id for t in decode(encode(job)).trials] == [t.id for t in job.trials]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_messages_are_read_whole_whatever_the_chunks_and_whatever_is_between_them(size):
    noise = [
        b"printed by a method",
        b"[1, 2]",
        b"\xff\xfe",
        b'{"kind": "Bomb"}',
        b'{"kind": []}',
        b"[" * 2000,
        b"3",
    ]
    stream = b"".join(encode(message) + junk for message, junk in zip(MESSAGES, [*noise, *noise])) + b"\n"
    reader = MessageReader()
    found = [m for i in range(0, len(stream), size) for m in reader.feed(stream[i : i + size])]
    assert found == MESSAGES


WRONG = [
    (TrialDone, "trial", 7), (Exited, "code", "9"), (Exited, "oom", None), (Ready, "env", "Z80"), (Started, "pid", "x"),
    (Kill, "job", [1]), (Job, "trials", {}), (Job, "trials", [7]), (Job, "trials", [{}]),
]  # fmt: skip


@pytest.mark.parametrize("kind, field, value", WRONG)
def test_a_message_with_a_field_of_another_type_is_passed_over(kind, field, value):
    body = json.loads(encode(next(m for m in MESSAGES if isinstance(m, kind))))
    assert decode(json.dumps(body).encode()) is not None
    assert decode(json.dumps(body | {field: value}).encode()) is None
    del body[field]
    assert decode(json.dumps(body).encode()) is None


def test_the_longest_event_is_written_whole_by_the_kernel():
    """The pipe is shared by all jobs, and only writes below PIPE_BUF are not mixed with others."""
    text = "\U0001f600" * worker._TEXT  # each takes twelve characters in JSON
    for event in (Working(10**9, text), StorageFailed(10**9, text), FullGPFailed(10**9, text)):
        assert len(encode(event)) <= select.PIPE_BUF


def test_an_event_that_no_process_reads_ends_the_job():
    read, write = os.pipe()
    os.close(read)
    left = []
    worker.send(write, TrialDone(1, "a"), lambda: left.append(True))
    os.close(write)
    assert left == [True]


def test_a_job_writes_the_log_of_its_fit_or_of_its_trials():
    job = replace(MESSAGES[2], env="")
    ids = [t.id for t in job.trials]
    assert job.logs == ids
    assert replace(job, needs_full_gp=None, makes_full_gp="abc").logs == ["shared-abc", *ids]


def test_the_context_of_a_run_is_sent_once_however_many_jobs_follow(tmp_path, monkeypatch):
    sent, send = [], LocalExecutor.send
    monkeypatch.setattr(LocalExecutor, "send", lambda self, *orders: (sent.extend(orders), send(self, *orders)))
    assert run_here(tmp_path, [trial(index=i) for i in range(3)]).done == 3
    assert [type(order) for order in sent] == [RunContext, Job, Job, Job]


def test_only_the_messages_know_how_they_are_written(repo):
    folder = repo / "gpbench" / "experiment" / "run"
    users = {file.name for file in folder.rglob("*.py") if "import json" in file.read_text()}
    assert users == {"messages.py", "forked_call.py"}  # the latter passes an exception on, not a message
