"""The verbs of the command line and what they share: help, version, errors.

What a verb needs is imported when it runs, so that help and completion answer at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import linnet
from linnet.errors import LinnetError

__all__ = ["app", "main"]

app = typer.Typer(
    name="linnet",
    help="Linear models for natural language: train, compare, explain.",
    epilog="Example: [bold]linnet demo[/bold] trains every learner on built-in data.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"linnet {linnet.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Take the options that stand before the verb."""


@app.command(
    epilog="Examples: [bold]linnet demo[/bold] · [bold]linnet demo --output plots[/bold] · "
    "[bold]linnet demo > tables.txt[/bold]"
)
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the plot.")
    ] = Path("demo_output"),
) -> None:
    """Train every learner on built-in data and compare them; nothing is downloaded."""
    from linnet.cli.demo import run

    run(output)


def main() -> None:
    """Run the command line; what went wrong is said in one line."""
    try:
        app(prog_name="linnet")
    except (LinnetError, OSError) as error:
        print(f"linnet: error: {error}", file=sys.stderr)
        sys.exit(1)
