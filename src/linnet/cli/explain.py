"""``linnet explain``: why a text gets its label, word by word."""

from __future__ import annotations

import html
import sys
from typing import Annotated, Any

import typer

from linnet.cli.console import (
    JsonOption,
    LineOption,
    ModelArgument,
    find_label,
    load_model,
    print_json,
    say,
    stdout_console,
)
from linnet.cli.outputs import check_outputs
from linnet.data.limits import longest_line, too_long
from linnet.errors import DataError

__all__ = ["EPILOG", "command"]

_TAG_REASONS = 4
EPILOG = (
    'Examples: [bold]linnet explain reviews.linnet "a film I would not wish on anyone"[/bold] · '
    "[bold]linnet explain reviews.linnet - --label pos < review.txt[/bold] · "
    '[bold]linnet explain reviews.linnet "dull" --html why.html[/bold]'
)


def command(
    model: ModelArgument,
    text: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="The text or row; - reads it from standard input."),
    ],
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="LABEL", help="Explain this label, not the predicted one."),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Features in the table.")
    ] = 15,
    max_line: LineOption = "64MB",
    json: JsonOption = False,
    html_file: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a web page as well.")
    ] = None,
) -> None:
    """Show what every word adds to the score of a label.

    Green words speak for the label, red and underlined ones against it. The contributions and the
    intercept sum to the score exactly. Of a tagger: why each word has its tag, and not the next
    best one. Of other learners: the neighbours, the support vectors, the tests of the tree or the
    log densities that decided.
    """
    check_outputs([html_file], [model, "-" if text == ["-"] else None])
    loaded = load_model(model, sequences=True)
    if loaded.kind == "sequence":
        _explain_tags(loaded, text, {"--label": label, "--html": html_file}, top, json)
        return
    if hasattr(loaded, "learner_"):
        _explain_learner(loaded, text, label, {"--html": html_file}, top, json)
        return
    if loaded.kind != "text":
        raise DataError(
            f"{model} was trained on features, not on texts, so there are no words to explain; "
            "linnet inspect shows its weights"
        )
    words = _standard_input() if text == ["-"] else " ".join(text)
    wanted = None if label is None else find_label(loaded, label)
    explanation = loaded.explain(words, label=wanted)
    if html_file is not None:
        _write_page(html_file, explanation, top)
        say(f"written to {html_file}", json)
    if json:
        print_json(explanation.to_dict(top))
        return
    from linnet.explain.text import render

    render(explanation, stdout_console(), top)


def _explain_learner(
    model: Any, text: list[str], label: str | None, others: dict[str, Any], top: int, json: bool
) -> None:
    """Explain by neighbours, support vectors, tests or terms: the model keeps its learner."""
    from linnet.cli.tagging import refuse
    from linnet.explain.rows import render_row

    refuse(others, "a model that is not linear")
    example: Any = _standard_input() if text == ["-"] else " ".join(text)
    if model.kind == "row":
        from linnet.cli.rows import rows_of_strings

        whole = len(text) == len(model.names) > 1
        mark = (model.reading or {}).get("mark", ",")
        example = rows_of_strings(model, [mark.join(text) if whole else example]).table
    elif model.kind != "text":
        raise DataError(
            "the model was trained on features, not on texts or rows; explain it from Python"
        )
    explanation = model.explain(example, None if label is None else find_label(model, label))
    if json:
        print_json(explanation.to_dict(top))
    else:
        render_row(explanation, stdout_console(), top)


def _explain_tags(
    model: Any, text: list[str], others: dict[str, Any], top: int, json: bool
) -> None:
    """Explain the tags of a sentence."""
    from linnet.cli.tagging import refuse
    from linnet.explain.tags import render_tags

    refuse(others, "a tagger of sentences")
    explanation = model.explain(_standard_input() if text == ["-"] else " ".join(text))
    if json:
        print_json(explanation.to_dict(top))
    else:
        render_tags(explanation, stdout_console(), min(top, _TAG_REASONS))


def _standard_input() -> str:
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
    from linnet.data.files import write_atomically

    title = html.escape(f"linnet: {explanation.label}")
    with write_atomically(path) as out:
        out.write(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head><body>{explanation.to_html(top)}</body></html>\n"
        )
