"""What the learners say of themselves (SPEC T-01, T-03), and what every number means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linnet.comparison.figures import METRIC, duration, percent
from linnet.comparison.report.markup import Markup, element
from linnet.comparison.report.tables import cell, heading, name_cell, scrolling, table

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison

__all__ = ["glossary", "properties"]

_COLUMNS = {
    "kind": "kind",
    "models": "models",
    "boundary": "boundary",
    "misspecified": "if the true model is outside its class",
    "overlapping_features": "overlapping features",
    "training": "training",
    "hyperparameters": "hyper-parameters",
    "smoothing": "smoothing",
    "independence": "independence assumed",
}

_GLOSSARY = {
    "accuracy": "The share of test examples (of taggers: of tokens) that got the right label.",
    "chunk F1": "A chunk is right if its beginning, its end and its type are. Precision is the "
    "share of named chunks that are right, recall the share of true chunks that were found, and F1 "
    "their harmonic mean.",
    "macro F1": "F1 of each label, averaged over the labels: rare ones count as much as frequent "
    "ones.",
    "95 % interval": "How much the score would move with another test set of this size: the middle "
    "95 % of the scores of test sets drawn from this one with replacement. It does not show what "
    "other training data would change.",
    "p": "If two learners were equally good, how often chance alone would make a difference at "
    "least this large. A small p makes chance hard to believe in.",
    "Holm's correction": "Many pairs give chance many tries. The smallest p is multiplied by the "
    "number of pairs, the next by one less, and so on; what stays below 0.05 is called "
    "significant.",
    "winner": "A learner that is significantly better than every other one. Whether intervals "
    "overlap does not decide that: the tests compare answers to the same examples.",
    "ECE": "Expected calibration error: sort answers by how sure they were, and take the mean "
    "distance between what the learner said and how often it was right. 0 is honest.",
    "train, predict": "Seconds on the machine that made this page. Features are made once for all "
    "and not counted in training; predicting starts from the raw examples.",
    "memory": "By how much the process grew while training, at least.",
    "model": "Bytes of the model's arrays in a file.",
    "without learning": "What a guesser reaches who knows only the most frequent label, or the "
    "most frequent tag of each word. A learner near it has learned little.",
    "precision, recall": "Of the answers with this label, how many are right; of the examples with "
    "this label, how many got it.",
    "sure": "The probability of the most probable label, as the learner sees it.",
    "weight": "What a feature adds to the score of a label, more than to the mean of all labels; "
    "of a tagger, its weight as it is.",
    "contribution": "Value times weight: what a feature of this very example added to the wrong "
    "label, more than to the right one.",
}


def properties(found: Comparison) -> Markup:
    """Return the lectures' comparison table with what was measured here."""
    rows = [row for row in found.rows if row.properties]
    if not rows:
        return element("p", "None of these learners is in the lectures' tables.")
    used = [name for name in _COLUMNS if any(name in row.properties for row in rows)]
    head = [heading("learner", class_="left"), *(heading(_COLUMNS[n], class_="left") for n in used)]
    head += [heading(METRIC[found.metric]), heading("train")]
    body = [
        [
            name_cell(row.name, 32, class_="left"),
            *(element("td", str(row.properties.get(n, "–")), class_="left") for n in used),
            cell(percent(row.score)),
            cell(duration(row.train_seconds)),
        ]
        for row in rows
    ]
    says = "What the lectures say of each learner; the last two columns were measured here"
    return scrolling(table(says, head, body, "properties"), "Properties of the learners")


def glossary() -> Markup:
    """Return what the numbers mean."""
    pairs = (
        element("div", element("dt", word), element("dd", meaning))
        for word, meaning in _GLOSSARY.items()
    )
    return element("dl", *pairs, class_="glossary")
