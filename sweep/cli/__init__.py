"""The command line: one file per command; this one finds them and maps errors to exit codes.

Exit codes: 0 done; 1 a bug of ours; 2 the user's input; 3 finished with too many failed trials or
a failed check; 130 interrupted by Ctrl-C, 143 by SIGTERM (the same command goes on).
"""

import atexit
import gc
import os
import sys
import traceback
from importlib import import_module
from typing import Any

import click

import sweep
from sweep.cli.interruption import raise_on_signals
from sweep.errors import SweepError
from sweep.text_lines import shorten

COMMANDS = {
    "init": "sweep.cli.init",
    "run": "sweep.cli.run",
    "studies": "sweep.cli.studies",
    "trials": "sweep.cli.trials",
    "show": "sweep.cli.show",
    "best": "sweep.cli.best",
    "report": "sweep.cli.report",
    "slices": "sweep.cli.slices",
    "compare": "sweep.cli.compare",
    "effects": "sweep.cli.effects",
    "diagnose": "sweep.cli.diagnose",
    "explain": "sweep.cli.explain",
    "pool": "sweep.cli.pool",
    "delete": "sweep.cli.delete",
    "dashboard": "sweep.cli.dashboard",
    "export": "sweep.cli.export",
    "verify": "sweep.cli.verify",
    "query": "sweep.cli.query",
    "evaluate": "sweep.cli.evaluate",
    "corpus": "sweep.cli.corpus",
    "schema": "sweep.cli.schema",
    "store": "sweep.cli.store",
    "doctor": "sweep.cli.doctor",
}
DONE, BUG, USER_INPUT, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
# A process with torch holds a million objects for life; looking through them for cycles, again and
# again, took 1.2 s of a sweep, seldomer .3 s. Measured over a sweep of 96 configurations.
GC_THRESHOLD = (20_000, 20, 20)


class _Commands(click.Group):
    """Imports a command's file only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f"Did you mean `sweep {near[0]}`?" if near else "See `sweep --help`."
            raise click.UsageError(f"no command {shorten(args[0])}. {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sweep.__version__, prog_name="sweep")
def cli() -> None:
    """Find the retrieval configuration for RAG on your own documents, prove it, ship it.

    \b
    sweep init FOLDER --questions FILE --out DIR
                                                begin with your own pages and questions
    sweep run search_spaces/quickstart.yaml     evaluate every configuration of a space
    sweep best                                  what to use, and how sure that is
    sweep export --out winner/quickstart        a folder that answers queries
    """  # noqa: D301  \b keeps the lines


def main() -> None:
    """Run the command line and leave with the right exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a bare locale must not stop a run
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads stall a busy machine
    gc.set_threshold(*GC_THRESHOLD)
    atexit.register(gc.freeze)  # the last search for cycles takes .6 s where torch is loaded
    raise_on_signals()
    sys.exit(_run())


def _run() -> int:
    try:
        result: Any = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USER_INPUT
    except SweepError as error:
        click.echo("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]), err=True)
        return USER_INPUT
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit as stop:
        if stop.code != 1:
            raise
        return DONE  # click's answer to a reader that went away, as in `sweep trials | head -1`
    except Exception as error:
        if isinstance(error, UnicodeEncodeError) and sys.getfilesystemencoding() != "utf-8":
            click.echo(
                f"error: locale: must be one with UTF-8 to name files, got a name with "
                f"{error.object[error.start : error.end]!r}. Set PYTHONUTF8=1, or LC_ALL=C.UTF-8.",
                err=True,
            )
            return USER_INPUT
        traceback.print_exc()
        click.echo("error: this is a bug in sweep; please report the lines above", err=True)
        return BUG
    return result if isinstance(result, int) else DONE
