"""The verbs of the command line, help and version; the one place that knows the parser.

A verb's file is imported when the verb is asked for, and what it needs when it runs, so that help
and completion answer at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import is_dataclass
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

import linnet
from linnet.cli.shared.completion import COMPLETERS
from linnet.cli.shared.options import FEATURES, INPUT, LEARNER, OUTPUT, REQUIRED, Option, declared
from linnet.cli.start import guarded

__all__ = ["app"]

# Every verb is a file of its own: a function `command` with the text EPILOG, or several functions
# COMMANDS, each with its text.
_VERBS = (
    "train", "compare", "evaluate", "predict", "explain", "inspect", "suggest", "filter", "serve",
    "lab", "convert", "data", "demo",
)  # fmt: skip

# With these options one argument may stand for many files.
_PATTERNS = {"train": ("--cluster", "--stream"), "evaluate": ("--cluster",)}

_PANELS = (None, INPUT, FEATURES, LEARNER, OUTPUT)


class _InWords:
    """Help that says what a value means, and not which type Python gives it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters as the help shows them."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in params:
            if getattr(one, "is_flag", False):
                one.metavar = ""  # a switch takes no value to be named
            elif one.param_type_name == "argument":
                one.display_type_rich = lambda ctx: None
        return params


class _Group(_InWords, TyperGroup):
    """A verb of several parts."""


class _Verbs(_Group):
    """The verbs, built when first needed, and one way to fail for all of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(_VERBS)  # type: ignore[assignment]  # names, to suggest

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in _VERBS and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _verb(cmd_name)
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # the parser's class has no public name
            if getattr(error, "option_name", None) in ("-v", "-V"):
                error.possibilities = ["--version"]  # type: ignore[attr-defined]
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if args[0] == "help":
                error.message = (  # type: ignore[attr-defined]
                    "linnet --help lists the verbs; linnet train --help explains one of them."
                )
            raise

    def invoke(self, ctx: Any) -> Any:
        code = guarded(lambda: super(_Verbs, self).invoke(ctx), lambda: ctx.invoked_subcommand)
        if code:
            raise typer.Exit(code)


class _Verb(_InWords, TyperCommand):
    """A verb that says what an argument too many may have been meant for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # the parser's class has no public name
            said = str(getattr(error, "message", ""))
            if said.startswith("Got unexpected extra argument"):
                error.message = self._too_many(ctx, given, said)  # type: ignore[attr-defined]
            elif said.startswith("Input should be"):
                error.message = _number_wanted(said)  # type: ignore[attr-defined]
            missing = getattr(error, "param", None)
            if not said and getattr(missing, "nargs", 1) == -1:
                # A single file took the last place; what is not there is what stands last.
                places = [one for one in self.params if one.param_type_name == "argument"]
                error.param = places[-1] if given else missing  # type: ignore[attr-defined]
            raise

    def _too_many(self, ctx: Any, given: list[str], said: str) -> str:
        left = said.rpartition("(")[2].rstrip(")")
        switches = {
            name: one for one in self.params if getattr(one, "is_flag", False) for name in one.opts
        }
        for option, value in pairwise(given):
            if option in switches and value in left.split():
                return f"{option} is a switch and takes no value; leave out {value!r}."
        places = self.collect_usage_pieces(ctx)[1:]
        takes = f"takes {' '.join(places)} and no more" if places else "takes options only"
        if any(word.partition("=")[0] in _PATTERNS.get(ctx.info_name, ()) for word in given):
            takes += "; several files are a pattern in quotes, which the shell leaves as it is"
            return f"{ctx.command_path} {takes}: 'part-*.tsv'. Leave out {left!r}."
        return f"{ctx.command_path} {takes}; leave out {left!r}."


def _number_wanted(said: str) -> str:
    """Return in plain words which number an option takes.

    Examples
    --------
    >>> _number_wanted("Input should be greater than or equal to 1")
    'it must be 1 or more'
    >>> _number_wanted("Input should be a valid integer, unable to parse string as an integer")
    'it must be a whole number'
    """
    bound = said.rpartition(" ")[2]
    if "greater than or equal" in said:
        return f"it must be {bound} or more"
    if "less than or equal" in said:
        return f"it must be {bound} or less"
    return "it must be a whole number" if "integer" in said else "it must be a number"


def _verb(name: str) -> Any:
    module = import_module(f"linnet.cli.{name}")
    several = getattr(module, "COMMANDS", None)
    verb = typer.Typer(
        cls=_Group,
        help=(module.__doc__ or "").partition(": ")[2] if several else None,
        no_args_is_help=bool(several),
        add_completion=False,
        rich_markup_mode="rich",
    )
    for part, (command, epilog) in (several or {name: (module.command, module.EPILOG)}).items():
        verb.command(part, cls=_Verb, epilog=_one_a_line(epilog))(_parsed(command))
    built = typer.main.get_command(verb)
    built.name = name
    return built


def _unwrapped(text: str) -> str:
    """Return paragraphs as one line each, which the help breaks where the terminal ends.

    Examples
    --------
    >>> _unwrapped("One line\\nand another.\\n\\n    A paragraph.")
    'One line and another.\\n\\nA paragraph.'
    """
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _one_a_line(epilog: str) -> str:
    """Return the examples of a verb as paragraphs, which the help sets one a line."""
    return epilog.replace(": ", ":\n\n", 1).replace(" · ", "\n\n")


def _parsed(command: Callable[..., None]) -> Callable[..., None]:
    """Return a verb's function as the parser takes it: the fields of its classes set out."""
    taken: dict[str, tuple[Any, Option, Any]] = {}
    groups: dict[str, list[str]] = {}
    hints = get_type_hints(command)
    for name, one in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = list(declared(hints[name]))
            taken |= declared(hints[name])
        else:
            taken[name] = (hints[name], one.default.metadata["option"], one.default.default)

    def run(**values: Any) -> None:
        with ExitStack() as stack:
            for name, (_, about, _) in taken.items():
                if about.during is not None:
                    stack.enter_context(about.during(values[name]))
            for name, names in groups.items():
                values[name] = hints[name](**{part: values.pop(part) for part in names})
            command(**values)

    in_panels = sorted(taken.items(), key=lambda item: _PANELS.index(item[1][1].panel))
    run.__doc__ = _unwrapped(command.__doc__ or "")
    run.__annotations__ = {}
    every = {name: about for name, (_, about, _) in taken.items()}
    parameters = [_parameter(name, *of, every) for name, of in in_panels]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(
    name: str, kind: Any, about: Option, default: Any, every: dict[str, Option]
) -> inspect.Parameter:
    if about.names:
        more = {"rich_help_panel": about.panel, **_completion(about), **about.settings}
        more |= _filling(about, every)
        parser = typer.Option(*about.names, metavar=about.metavar, help=about.help, **more)
    else:
        parser = typer.Argument(metavar=about.metavar, help=about.help, **_completion(about))
    default = inspect.Parameter.empty if default is REQUIRED else default
    hint = Annotated[kind, parser]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _filling(about: Option, every: dict[str, Option]) -> dict[str, Any]:
    """Return what lets an option give values to others, before any of them is looked at."""
    fills = about.fills
    if fills is None:
        return {}

    def fill(context: typer.Context, value: Any) -> Any:
        if value is not None:
            context.default_map = fills(value, every)
        return value

    return {"callback": fill, "is_eager": True}


def _completion(about: Option) -> dict[str, Any]:
    """Return what completes an option's value, if anything but files does."""
    completer = COMPLETERS.get(about.names[0] if about.names else about.metavar or "")
    if completer is None or about.metavar == "MODULE:CLASS":
        return {}
    return {"autocompletion": lambda incomplete: list(completer(incomplete))}


app = typer.Typer(
    name="linnet",
    cls=_Verbs,
    help="Linear models for natural language: train, predict, explain, filter.",
    epilog="Examples:\n\n[bold]linnet train reviews.csv[/bold]\n\n"
    "[bold]linnet evaluate reviews.linnet test.csv[/bold]\n\n"
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
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Take the options that stand before the verb."""
