"""How cost grows: the figures that ``benchmarks/growth.py --write`` left behind, as pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.ticker import NullFormatter

from linnet.explain.style import legend_below, new_panels, series, write_title

FIGURES = Path(__file__).resolve().parent / "growth.json"
ON_ROWS, ON_CHAINS = ("rows", "features", "labels"), ("tokens", "tags")
LEARNERS = ("MultinomialNB", "Perceptron", "MaxEnt", "SVM", "HMM", "StructuredPerceptron", "CRF")


def measured() -> list[dict[str, Any]]:
    """Return what was measured: question, learner, sizes, seconds, megabytes, exponents."""
    rows: list[dict[str, Any]] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return rows


LEAST = {"seconds": 0.0, "megabytes": 1.0}  # below a megabyte the system's pages are counted


def _panels(questions: tuple[str, ...], cost: str, unit: str) -> Any:
    """Return a figure with a panel for each question, in logarithms both ways."""
    fig, axes = new_panels(len(questions))
    for question, axis in zip(questions, axes, strict=True):
        for row in measured():
            if row["question"] != question:
                continue
            look = series(LEARNERS.index(row["learner"]))
            axis.plot(
                row["sizes"], [max(value, LEAST[cost]) for value in row[cost]],
                color=look.colour, linestyle=look.linestyle,
                marker=look.marker, markersize=4, label=row["learner"],
            )  # fmt: skip
        axis.set(xscale="log", yscale="log", xlabel=question)
        axis.yaxis.set_minor_formatter(NullFormatter())  # decades alone: the others overlap
        write_title(axis, f"{unit.partition(',')[0]} against {question}")
    axes[0].set_ylabel(unit)
    return legend_below(fig, axes[0])[0]


def growth_rows_seconds() -> Any:
    """Draw the seconds of learners on rows."""
    return _panels(ON_ROWS, "seconds", "CPU seconds")


def growth_rows_memory() -> Any:
    """Draw the memory of learners on rows."""
    return _panels(ON_ROWS, "megabytes", "added MB, 1 at least")


def growth_chains_seconds() -> Any:
    """Draw the seconds of learners on sentences."""
    return _panels(ON_CHAINS, "seconds", "CPU seconds")


def growth_chains_memory() -> Any:
    """Draw the memory of learners on sentences."""
    return _panels(ON_CHAINS, "megabytes", "added MB, 1 at least")


PICTURES = (growth_rows_seconds, growth_rows_memory, growth_chains_seconds, growth_chains_memory)
