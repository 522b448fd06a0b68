"""Call foreign code in a fork of this process, so that a crash of it does no harm here."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable

from gpbench import errors
from gpbench.text import one_line

from . import os_limits


def complaint_of(function: Callable[[], object]) -> errors.GpbenchError | None:
    """The GpbenchError that the function raises in a fork of this process; None for any other end, crashes included."""
    read, write = os.pipe()
    parent = os.getpid()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            os_limits.die_with_parent(parent)
            os_limits.no_core_dump()
            faulthandler.disable()
            os.dup2(2, 1)  # stdout is for the results of the command
            function()
        except errors.GpbenchError as e:
            os.write(write, json.dumps([type(e).__name__, one_line(e, 2000)]).encode())
        except BaseException:
            pass
        finally:
            os._exit(0)
    os.close(write)
    try:
        os.waitpid(pid, 0)  # not the end of the pipe: a process that the function started may hold it open for ever
        os.set_blocking(read, False)
        with contextlib.suppress(BlockingIOError):
            if answer := os.read(read, 1 << 16):
                name, message = json.loads(answer)
                error: type[errors.GpbenchError] = getattr(errors, name, errors.GpbenchError)
                return error(message)
        return None
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(read)
