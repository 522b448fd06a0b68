"""The command line: click commands, nothing else. Heavy imports happen inside the commands (--help answers at once)."""

from __future__ import annotations

import os
import signal
import sys

import click

from gpbench import __version__

from . import adapters, advise, data, listing, new, report, run, standard_output, status, table_models, verify
from .shared import Group, Terminated, fail, terminate


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="gpbench")
def cli():
    """Reproduce and extend the benchmarks of five sparse Gaussian process papers.

    gpbench run configs/quickstart.yaml   is a good first command.
    """


for command in (
    run.run, status.status, run.validate, listing.list_, listing.describe, listing.schema, listing.doctor,
    data.data, report.tables, report.stats, report.plot, report.report, report.check, report.compare, report.score,
    report.site, new.new, adapters.adapters, verify.verify, advise.advise, table_models.fit, table_models.predict,
):  # fmt: skip
    cli.add_command(command)


def main() -> None:
    """Entry point: one sentence and the right exit code for everything that can go wrong."""
    from gpbench.errors import GpbenchError, StorageError
    from gpbench.experiment.run.local import os_limits

    os_limits.standard_streams()
    standard_output.replace()
    signal.signal(signal.SIGTERM, terminate)
    try:
        if why := os_limits.too_small():
            raise StorageError(why)
        os_limits.notice_cpu_limit()
        code = _invoke()
        sys.stdout.flush()
    except click.exceptions.Exit as e:  # --help, --version
        code = e.exit_code
    except click.exceptions.Abort:
        code = 130
    except click.ClickException as e:
        e.show()
        code = e.exit_code
    except GpbenchError as e:
        code = fail(e)
    except KeyboardInterrupt:
        code = 130
    except Terminated:
        code = 143
    except os_limits.CpuLimitReached:
        code = fail(StorageError(os_limits.CPU_LIMIT))
    except BrokenPipeError:
        code = 141
    except Exception as e:  # a bug of ours: one line says so, and --verbose shows all of it
        if why := os_limits.blamed_for(e):
            sys.exit(_ended(fail(StorageError(why))))
        hint = " (traceback: gpbench -v ...)"
        if any(flag in sys.argv for flag in ("-v", "-vv", "--verbose")):
            import traceback

            traceback.print_exc()
            hint = ""
        click.echo(f"gpbench: internal error, please report it: {type(e).__name__}: {e}{hint}", err=True)
        code = 70
    sys.exit(_ended(code))


def _invoke():
    """Exit code of the command in sys.argv, or of the completion that a shell asks for."""
    if asked := os.environ.get("_GPBENCH_COMPLETE"):  # cli.main() would look at it, and is not called
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "gpbench", "_GPBENCH_COMPLETE", asked)
    # not cli.main(): it turns a closed pipe into exit code 1
    with cli.make_context("gpbench", sys.argv[1:]) as context:
        return cli.invoke(context)


def _ended(code) -> int:
    """The exit code, once nothing is left for the interpreter to flush."""
    standard_output.settle()
    return code if isinstance(code, int) else 0
