"""``linnet explain``: why a text gets its label, word by word."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Any

from linnet.cli.shared.console import (
    print_json,
    say,
    stdout_console,
    write_atomically,
)
from linnet.cli.shared.hints import check_swapped, tell_terminal
from linnet.cli.shared.options import (
    FORCE,
    FOREIGN,
    INPUT,
    JSON,
    MAX_LINE,
    MODEL,
    OUTPUT,
    QUIET,
    argument,
    option,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.errors import DataError
from linnet.model.checks import find_label

__all__ = ["EPILOG", "command"]

EPILOG = (
    'Examples: [bold]linnet explain reviews.linnet "a film I would not wish on anyone"[/bold] · '
    "[bold]linnet explain reviews.linnet - --label pos < review.txt[/bold] · "
    '[bold]linnet explain reviews.linnet "dull" --html why.html[/bold]'
)


_TEXT = argument("TEXT", "The text or row; - reads it from standard input.")
_LABEL = option("--label LABEL", "Explain this label, not the predicted one.", INPUT)
_TOP = option("--top N", "Features in the table.", OUTPUT, 15, min=1)
_HTML = option("--html FILE", "Write a web page as well.", OUTPUT)


def command(
    model: str = MODEL,
    text: list[str] = _TEXT,
    label: str | None = _LABEL,
    top: int = _TOP,
    max_line: str = MAX_LINE,
    learner: str | None = FOREIGN,
    json: bool = JSON,
    html_file: str | None = _HTML,
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Show what every word adds to the score of a label.

    Green words speak for the label, red and underlined ones against it. The contributions and the
    intercept sum to the score exactly. Of a tagger: why each word has its tag, and not the next
    best one. Of other learners: the neighbours, the support vectors, the tests of the tree or the
    log densities that decided.
    """
    from linnet.cli.kinds import open_model

    check_outputs([html_file], [model, "-" if text == ["-"] else None], force=force)
    check_swapped("explain", model, text)
    if len(text) == 1 and os.path.isfile(text[0]):
        meant = f"linnet explain {model} - < {text[0]}"
        say(
            f"explaining the name {text[0]}; what that file holds is explained by {meant}",
            quiet or json,
        )
    kind = open_model(model)
    kind.refuse("explain", {"--label": label, "--html": html_file})
    example = kind.example(text, partial(_standard_input, quiet))
    wanted = {} if label is None else {"label": find_label(kind.model, label)}
    explanation = kind.model.explain(example, **wanted)
    if html_file is not None:
        _write_page(html_file, explanation, top)
        say(f"written to {html_file}", quiet or json)
    if json:
        print_json(explanation.to_dict(top))
    else:
        kind.render(explanation, stdout_console(), top)


def _standard_input(quiet: bool) -> str:
    from linnet.data.limits import longest_line, too_long

    tell_terminal("the text", quiet)
    raw = sys.stdin.buffer.read(longest_line() + 1)
    if len(raw) > longest_line():
        raise too_long("<stdin>", 1, "text")
    try:
        return raw.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(
            f"<stdin>: byte 0x{raw[error.start]:02x} at position {error.start} is not UTF-8; "
            "convert the text first, for example with iconv"
        ) from error


def _write_page(path: str, explanation: Any, top: int) -> None:
    from linnet.explain.page import page

    label = getattr(explanation, "label", None)
    title = "Why these tags?" if label is None else f"Why {label}?"
    with write_atomically(path) as out:
        out.write(page(title, explanation.to_html(top)))
