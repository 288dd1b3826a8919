"""``linnet demo``: the text pipeline, then every learner on built-in data, as tables and a plot."""

from __future__ import annotations

import shlex
from pathlib import Path

from linnet.cli.options import OUTPUT, option

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet demo[/bold] · [bold]linnet demo --output plots[/bold] · "
    "[bold]linnet demo > tables.txt[/bold]"
)
_SENTENCE = "Wait until the thread terminates and return the payload of its message."


_OUTPUT = option("--output -o DIR", "Folder for the plot.", OUTPUT, Path("demo_output"))


def command(output: Path = _OUTPUT) -> None:
    """Train every learner on built-in data and compare them; nothing is downloaded."""
    from linnet.cli.demo_tables import print_tables

    report = output / "report.html"
    _pipeline(output, report)
    print_tables(output)
    print(f"Which learner, how sure, and why: open {report} in a browser")


def _pipeline(output: Path, report: Path) -> None:
    """Train, evaluate, explain and inspect a text classifier as a user would."""
    from linnet.data import load_pydoc, write_labelled_text

    corpus = load_pydoc()
    output.mkdir(parents=True, exist_ok=True)
    train, test, model = (output / name for name in ("train.tsv", "test.tsv", "pydoc.linnet"))
    write_labelled_text(train, corpus.train_labels, corpus.train_texts)
    write_labelled_text(test, corpus.test_labels, corpus.test_texts)
    print(f"Text in, labels out: {corpus.description}\n")
    verbs = (
        ["train", str(train), "-o", str(model)],
        ["evaluate", str(model), str(test)],
        ["explain", str(model), _SENTENCE],
        ["inspect", str(model), "--top", "5"],
        [
            *("compare", str(train), "--test", str(test)),
            *("--curve", "0.1,0.3,1", "--report", str(report)),
        ],
    )
    for arguments in verbs:
        print(f"$ linnet {shlex.join(arguments)}", flush=True)
        _call(arguments)
        print(flush=True)


def _call(arguments: list[str]) -> None:
    from linnet.cli.app import app

    try:
        app(arguments, prog_name="linnet", standalone_mode=False)
    except SystemExit as stop:
        if stop.code:
            raise
