"""What the exercise scripts share: where the reviews are, where plots go, how they are run."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Literal

from linnet.lecture import LinearClassifier, SentimentCorpus

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_IN = "    "
_WRITTEN = 100  # columns of the scripts themselves
ROOT = Path(__file__).resolve().parents[2]


@cache
def reviews(cutoff_on: Literal["train", "all"] = "train") -> SentimentCorpus | None:
    """Return the Amazon book reviews, or None, and say so, when they are not on this machine."""
    base = Path(os.environ.get("LINNET_DATA", ROOT.parent / "shared" / "data"))
    if not (base / "amazon_books").is_dir():
        print("The Amazon reviews are not here (set LINNET_DATA to the folder that has them).")
        return None
    return SentimentCorpus("books", folder=base / "amazon_books", cutoff_on=cutoff_on)


def accuracies(learner: LinearClassifier, params: Any, data: Any) -> tuple[float, float]:
    """Return training and test accuracy, the way the lab computes them."""
    train = learner.evaluate(data.train_y, learner.test(data.train_X, params))
    test = learner.evaluate(data.test_y, learner.test(data.test_X, params))
    return train, test


def save(figure: Figure, output: Path | None, name: str) -> None:
    """Write a plot into the folder `output`, if there is one, and forget it."""
    from matplotlib import pyplot

    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        figure.savefig(output / name)
        print(f"plot: {output / name}")
    pyplot.close(figure)


def questions(text: str) -> str:
    """Return what a script asks, without its answers.

    The answer is a part of its own, or each paragraph asks and then answers.
    """
    asked, _, _ = text.strip().partition("\nAnswer\n")
    head, both, answered = asked.partition("\nQuestions and answers\n")
    if not both:
        return asked.rstrip()
    each = [f"{one.partition('?')[0].rstrip()}?" for one in answered.split("\n\n") if "?" in one]
    return f"{head.rstrip()}\n\nQuestions\n" + "\n\n".join(each)


def fitted(text: str, width: int) -> str:
    """Return a text whose indented paragraphs are no wider than a terminal; tables stay.

    Examples
    --------
    >>> print(fitted("Question\\n    How probable are\\n    the words?\\n\\n        N  0.5", 24))
    Question
        How probable are the
        words?
    <BLANKLINE>
            N  0.5
    """
    lines: list[str] = []
    for words, group in groupby(text.splitlines(), key=_is_prose):
        parts = list(group)
        if words:
            told = " ".join(part.strip() for part in parts)
            parts = textwrap.wrap(
                told, width, initial_indent=_IN, subsequent_indent=_IN,
                break_on_hyphens=False, break_long_words=False,
            )  # fmt: skip
        lines += parts
    return "\n".join(lines)


def _is_prose(line: str) -> bool:
    """Tell whether a line is part of a paragraph, indented once and without columns."""
    said = line.removeprefix(_IN)
    return said != line and said[:1] not in ("", " ") and "   " not in said


def _shown(text: str) -> str:
    width = get_terminal_size().columns
    return fitted(text, width) if sys.stdout.isatty() and width < _WRITTEN else text


def run(main: Callable[[Path | None], object], question: str | None) -> None:
    """Print question, answer and numbers: ``python x01_….py [--output FOLDER] [--question]``."""
    parser = argparse.ArgumentParser(
        description=question, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write the plots here")
    parser.add_argument("--question", action="store_true", help="ask only; answer after Enter")
    wanted, text = parser.parse_args(), (question or "").strip()
    if wanted.question:
        print(_shown(questions(text)))
        if not sys.stdin.isatty():
            print("\nWithout --question the answer follows.")
            return
        input("\nThink first, then press Enter for the answer. ")
    print(f"{_shown(text)}\n\nThe numbers\n")
    main(wanted.output)
