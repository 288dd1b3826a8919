"""``linnet demo``: the text pipeline, then every learner on built-in data, as tables and a plot."""

from __future__ import annotations

import shlex
from filecmp import cmp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from linnet.cli.shared.options import FORCE, OUTPUT, option
from linnet.cli.shared.outputs import check_outputs
from linnet.data.replacing import make_folder

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet demo[/bold] · [bold]linnet demo --output plots[/bold] · "
    "[bold]linnet demo > tables.txt[/bold]"
)
_SENTENCE = "Wait until the thread terminates and return the payload of its message."


_OUTPUT = option(
    "--output -o DIR", "Folder for data, model, plot and report.", OUTPUT, Path("demo_output")
)


def command(output: Path = _OUTPUT, force: bool = FORCE) -> None:
    """Train every learner on built-in data and compare them; nothing is downloaded."""
    from linnet.cli.demo_tables import PLOT, print_tables

    report = output / "report.html"
    make_folder(output)
    check_outputs([output / PLOT, report], [], force=force)
    _pipeline(output, report, force)
    print_tables(output)
    print(f"Which learner, how sure, and why: open {report} in a browser")


def _written(output: Path, corpus: Any, force: bool) -> tuple[Path, Path]:
    """Write the two parts of a corpus, over files of their names only if they say the same."""
    from linnet.data import write_labelled_text

    parts = {
        output / "train.tsv": (corpus.train_labels, corpus.train_texts),
        output / "test.tsv": (corpus.test_labels, corpus.test_texts),
    }
    with TemporaryDirectory() as folder:
        made = {part: Path(folder) / part.name for part in parts}
        for part, (labels, texts) in parts.items():
            write_labelled_text(made[part], labels, texts)
        new = [one for one in parts if not (one.is_file() and cmp(one, made[one], shallow=False))]
    check_outputs(new, [], force=force)
    for part in new:
        write_labelled_text(part, *parts[part])
    train, test = parts
    return train, test


def _pipeline(output: Path, report: Path, force: bool) -> None:
    """Train, evaluate, explain and inspect a text classifier as a user would."""
    from linnet.data import load_pydoc

    corpus, model = load_pydoc(), output / "pydoc.linnet"
    check_outputs([model], [], force=force)
    train, test = _written(output, corpus, force)
    print(f"Text in, labels out: {corpus.description}\n")
    verbs = (
        ["train", str(train), "-o", str(model), *(["--force"] if force else [])],
        ["evaluate", str(model), str(test)],
        ["explain", str(model), _SENTENCE],
        ["inspect", str(model), "--top", "5"],
        [
            *("compare", str(train), "--test", str(test)),
            *("--curve", "0.1,0.3,1", "--report", str(report)),
            *(["--force"] if force else []),
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
