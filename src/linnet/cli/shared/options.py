"""The options of the verbs, each with one wording everywhere.

An option is declared where it is used, as a field of a class that a verb takes or as the default
of a parameter; :mod:`linnet.cli.app` makes a parser of them. Nothing here needs the parser, so a
prediction without options starts without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import MISSING, dataclass, field, fields, replace
from json import loads
from typing import Any, TypeVar, cast, get_type_hints

from linnet.cli.shared.console import choose, parse_size
from linnet.cli.shared.hints import check_format_name
from linnet.cli.start import silence
from linnet.errors import ParameterError

INPUT, FEATURES, LEARNER, OUTPUT = "Input", "Features", "Learner", "Output"  # panels of the help
REQUIRED = MISSING
_Group = TypeVar("_Group", bound="Options")


@dataclass(frozen=True)
class Option:
    """An option, or an argument that stands at its place without a name.

    Attributes
    ----------
    names : list of str
        None for an argument.
    metavar : str or None
        What stands for the value; None for a switch.
    help : str
    panel : str or None
        The part of the help it is listed in.
    during : function of the value, optional
        Returns a context that lasts as long as the command.
    fills : function of the value and of the verb's options, optional
        Returns values of other options, for those that the command line does not name.
    settings : dict
        What the parser knows more: min, max, callback.
    """

    names: list[str]
    metavar: str | None
    help: str
    panel: str | None = None
    during: Callable[[Any], AbstractContextManager[Any]] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    fills: Callable[[Any, dict[str, Option]], dict[str, Any]] | None = None


def option(
    names: str,
    help: str,
    panel: str,
    default: Any = None,
    *,
    during: Callable[[Any], AbstractContextManager[Any]] | None = None,
    fills: Callable[[Any, dict[str, Option]], dict[str, Any]] | None = None,
    **settings: Any,
) -> Any:
    """Declare an option as a field of a class of options, or as the default of a parameter.

    Parameters
    ----------
    names : str
        Such as ``--output -o FILE``; without a last word in capitals, a switch.
    help, panel, during, fills, settings
        See :class:`Option`.
    default : the value when it is not given; REQUIRED if it must be
    """
    words = names.split()
    metavar = None if words[-1].startswith("-") else words.pop()
    about = Option(words, metavar, help, panel, during, settings, fills)
    return field(default=default, metadata={"option": about})


def argument(metavar: str, help: str, default: Any = REQUIRED) -> Any:
    """Declare an argument, which stands at its place on the command line without a name."""
    return field(default=default, metadata={"option": Option([], metavar, help)})


class Options:
    """Options that go together; the fields of a class of them are declared by :func:`option`."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def __init__(self, **values: Any) -> None:
        """Take values by their names; each class has its own, made of its fields."""


def changed(group: _Group, **values: Any) -> _Group:
    """Return options some of which have other values."""
    new: _Group = replace(cast(Any, group), **values)
    return new


def declared(group: Any) -> dict[str, tuple[Any, Option, Any]]:
    """Return (type, option, default) of each field of a class of options."""
    hints = get_type_hints(group)
    return {
        one.name: (hints[one.name], one.metadata["option"], one.default) for one in fields(group)
    }


def asked_for(group: Any) -> dict[str, Any]:
    """Return the options that are not as by default, by their names.

    Examples
    --------
    >>> asked_for(Reading(text="body", encoding="utf-8"))
    {'--text': 'body'}
    """
    values = {name: getattr(group, name) for name in declared(type(group))}
    return {
        about.names[0]: values[name]
        for name, (_, about, default) in declared(type(group)).items()
        if values[name] != default
    }


@contextmanager
def lasting(group: Any) -> Iterator[None]:
    """Enter what options of a class ask for as long as the command lasts."""
    with ExitStack() as stack:
        for name, (_, about, _) in declared(type(group)).items():
            if about.during is not None:
                stack.enter_context(about.during(getattr(group, name)))
        yield


def _limit_lines(value: str) -> AbstractContextManager[Any]:
    """Let lines be as long as the option says."""
    from linnet.data.limits import line_limit

    return line_limit(parse_size(value))


def _import_learner(place: str | None) -> AbstractContextManager[Any]:
    """Import a class of another package, so that a model file may name it."""
    if place is not None:
        from linnet.learn.shared.known import imported_class

        imported_class(place)
    return nullcontext()


MODEL = argument("MODEL", "Model file, as written by linnet train.")
DATA = argument("DATA", "Labelled file; - is stdin.")
MAX_LINE = option(
    "--max-line SIZE", "The longest line, row or sentence that is read.", INPUT, "64MB",
    during=_limit_lines,
)  # fmt: skip
JSON = option("--json", "Print JSON on standard output and nothing else there.", OUTPUT, False)
QUIET = option(
    "--quiet -q", "Say nothing on standard error but errors.", OUTPUT, False, callback=silence
)
RESUME = option(
    "--resume", "Go on with a run that was stopped: keep finished files.", OUTPUT, False
)
SKIP_BAD = option(
    "--skip-bad N", "Leave up to N bad rows out instead of stopping at one.", INPUT, 0, min=0
)
SAFE_CSV = option(
    "--safe-csv",
    "CSV: an apostrophe before cells that spreadsheets take for formulas.",
    OUTPUT,
    False,
)
FORCE = option(
    "--force --overwrite",
    "Replace files that are there already, whoever wrote them.",
    OUTPUT,
    False,
)
CLUSTER = option(
    "--cluster ADDRESS", "Work on a cluster of Dask: its scheduler, or local:4.", OUTPUT
)
COLUMN: list[str] | None = option(
    "--column NAME=BLOCKS|category|number",
    "A column to look at beside others: title=words:1-2, source=category or price=number.",
    FEATURES,
)
THREADS = option("--threads N", "Threads; all cores by default.", LEARNER, min=1)
SEED = option("--seed N", "Of everything random.", LEARNER, 0)
FOREIGN = option(
    "--learner MODULE:CLASS", "Allow the model's learner, a class of another package.", INPUT,
    during=_import_learner,
)  # fmt: skip
LABEL = option("--label COLUMN", "Column of the label: name or number.", INPUT)


def check_encoding(name: str) -> None:
    """Refuse what is no encoding of text."""
    try:
        "".encode(name)
    except LookupError:
        raise ParameterError(
            f"--encoding {name}: no encoding of text has that name; there are utf-8, latin-1, "
            "cp1252, utf-16 and the others of Python"
        ) from None


class Source(Options):
    """How any file is read."""

    text: str | None = option("--text COLUMN", "Column of the text: name or number.", INPUT)
    delimiter: str | None = option(
        "--delimiter MARK",
        "Between the columns of a table, or between a word and its tag; tab for a tab.",
        INPUT,
        callback=lambda mark: "\t" if mark in ("\\t", "tab") else mark,
    )
    encoding: str = option("--encoding NAME", "Encoding of the data.", INPUT, "utf-8")
    errors: str = option(
        "--errors strict|replace", "Bytes that do not decode: stop, or U+FFFD.", INPUT, "strict"
    )
    max_line: str = MAX_LINE

    def __post_init__(self) -> None:
        choose(self.errors, ("strict", "replace"), "--errors")
        check_encoding(self.encoding)

    def settings(self) -> dict[str, Any]:
        """Return what the readers of :mod:`linnet.data` take."""
        names = (name for name in declared(type(self)) if name != "max_line")
        return {name.removeprefix("source_"): getattr(self, name) for name in names}


class From(Source):
    """How the files of a verb are read whose other formats are those it writes."""

    source_format: str | None = option(
        "--from FORMAT", "Format of the input; found by default.", INPUT
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_format_name(self.source_format)


class Files(Source):
    """How files are read."""

    format: str | None = option(
        "--format FORMAT", "Format of the data; found out by default.", INPUT
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_format_name(self.format)


class Reading(Files):
    """How labelled files are read."""

    label: str | None = LABEL


def parse_ngrams(text: str | None, tokenizer: str | None) -> dict[str, Any]:
    """Return the parameters that ``--ngrams`` and ``--tokenizer`` stand for.

    Examples
    --------
    >>> parse_ngrams("1,2", None), parse_ngrams("char:2-5", None), parse_ngrams("3", "unicode")
    ({'ngrams': (1, 2)}, {'ngrams': (2, 5), 'tokenizer': 'char_wb'},
     {'ngrams': (1, 3), 'tokenizer': 'unicode'})
    """
    parameters: dict[str, Any] = {}
    if text is not None:
        kind, _, span = text.rpartition(":")
        parts = span.replace("-", ",").split(",")
        if kind not in ("", "word", "char") or not all(p.strip().isdecimal() for p in parts):
            raise ParameterError(f"--ngrams must look like 1,2 or 3 or char:2-5, got {text!r}")
        numbers = [int(part) for part in parts]
        low, high = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
        if len(numbers) > 2 or not 1 <= low <= high:
            raise ParameterError(f"--ngrams must be two growing numbers from 1, got {text!r}")
        parameters["ngrams"] = (low, high)
        if kind == "char":
            if tokenizer not in (None, "char", "char_wb"):
                raise ParameterError(f"--ngrams char: and --tokenizer {tokenizer} contradict")
            parameters["tokenizer"] = "char_wb"
    if tokenizer is not None:
        parameters["tokenizer"] = tokenizer
    return parameters


def parse_strength(text: str | None) -> float | str | None:
    """Return the value of ``-C``: a number above 0, ``auto``, or None when it was not given.

    Examples
    --------
    >>> parse_strength("auto"), parse_strength("0.5"), parse_strength(None)
    ('auto', 0.5, None)
    """
    if text is None or text == "auto":
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ParameterError(f"-C must be auto or a number above 0, got {text!r}")
    return value


def parse_columns(assignments: list[str] | None) -> dict[str, str]:
    """Return what ``--column name=features`` says that columns hold.

    Examples
    --------
    >>> parse_columns(["title=words:1-2,char_wb:2-5", "source=category"])
    {'title': 'words:1-2,char_wb:2-5', 'source': 'category'}
    """
    columns: dict[str, str] = {}
    for one in assignments or []:
        name, equals, held = one.rpartition("=")
        if not equals or not name.strip() or not held.strip():
            raise ParameterError(
                "--column must look like title=words:1-2, source=category or price=number, got "
                f"{one!r}"
            )
        if name.strip() in columns:
            raise ParameterError(f"--column gives {name.strip()} twice; separate blocks by commas")
        columns[name.strip()] = held.strip()
    return columns


def parse_settings(assignments: list[str] | None) -> dict[str, Any]:
    """Return the parameters that ``--set name=value`` names; a value is JSON, else text.

    Examples
    --------
    >>> parse_settings(["k=5", "metric=mvdm", "average=false", "max_depth=null"])
    {'k': 5, 'metric': 'mvdm', 'average': False, 'max_depth': None}
    """
    parameters: dict[str, Any] = {}
    for one in assignments or []:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set must look like name=value, got {one!r}")
        if name.strip() in parameters:
            raise ParameterError(f"--set gives {name.strip()} twice")
        try:
            parameters[name.strip()] = loads(value)
        except ValueError:
            parameters[name.strip()] = value.strip()
    return parameters
