"""The verbs of the command line, help and version.

A verb's file is imported when the verb is asked for, and what it needs when it runs, so that help
and completion answer at once.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import linnet
from linnet.cli.start import guarded

__all__ = ["app"]

# Every verb is a file of its own: a function `command` with the text EPILOG, or a typer `app`.
_VERBS = (
    "train", "compare", "evaluate", "predict", "explain", "inspect", "filter", "convert", "data",
)  # fmt: skip


class _Verbs(TyperGroup):
    """The verbs, built when first needed, and one way to fail for all of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        verbs: dict[str, Any] = dict.fromkeys(_VERBS)  # the names alone, for suggestions
        verbs.update(self.commands)
        self.commands = verbs

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in _VERBS and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _verb(cmd_name)
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        code = guarded(lambda: super(_Verbs, self).invoke(ctx))
        if code:
            raise typer.Exit(code)


def _verb(name: str) -> Any:
    module = import_module(f"linnet.cli.{name}")
    own: typer.Typer | None = getattr(module, "app", None)
    if own is None:
        own = typer.Typer(add_completion=False, rich_markup_mode="rich")
        own.command(name, epilog=module.EPILOG)(module.command)
    built = typer.main.get_command(own)
    built.name = name
    return built


app = typer.Typer(
    name="linnet",
    cls=_Verbs,
    help="Linear models for natural language: train, predict, explain, filter.",
    epilog="Examples: [bold]linnet train reviews.csv[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.csv[/bold] · "
    "[bold]linnet demo[/bold] trains every learner on built-in data.",
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
