"""Rules that say which rows are kept, and who applies them to what a model says.

A rule is ``label OP number``, or ``label`` alone:

    hq>=0.9        the probability of hq is at least 0.9; also >, <, <=
    hq             the model's answer is hq

A label may itself contain < and >: the last sign in the rule counts, and a rule that is exactly a
label is that label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.model.checks import find_label

__all__ = ["Judge", "Rule", "parse_rule"]

_SIGNS = {">=": np.greater_equal, "<=": np.less_equal, ">": np.greater, "<": np.less}


@dataclass(frozen=True)
class Rule:
    """One condition; without a sign the model's answer must be the label."""

    label: str
    sign: str | None = None
    number: float = 0.0

    def __str__(self) -> str:
        return self.label if self.sign is None else f"{self.label}{self.sign}{self.number:g}"


def parse_rule(text: str, labels: Sequence[str], option: str = "--keep") -> Rule:
    """Read one rule.

    Parameters
    ----------
    text : str
    labels : sequence of str
        The model's labels as they are spelled.
    option : str
        Where the rule stood, for the error.

    Raises
    ------
    ParameterError
        When the text is no rule, or the number no probability. Whether the label exists is
        checked where the model is at hand.

    Examples
    --------
    >>> parse_rule("hq >= 0.9", ["hq", "lq"])
    Rule(label='hq', sign='>=', number=0.9)
    >>> parse_rule("a>b<0.5", ["a>b", "c"])
    Rule(label='a>b', sign='<', number=0.5)
    """
    if text.strip() in labels:
        return Rule(text.strip())
    at = max(text.rfind(">"), text.rfind("<"))
    if at < 0:
        return Rule(text.strip())
    sign = text[at : at + 2] if text[at + 1 : at + 2] == "=" else text[at]
    try:
        number = float(text[at + len(sign) :])
    except ValueError:
        number = -1.0
    label = text[:at].strip()
    if not label or not 0 <= number <= 1:
        raise ParameterError(
            f"{option} {text!r} is no rule; write a label, a sign (>=, >, <, <=) and a probability "
            "between 0 and 1, such as 'hq>=0.9', or a label alone"
        )
    return Rule(label, sign, number)


class Judge:
    """Decides by a model and rules which rows are kept.

    Parameters
    ----------
    model : the model
    rules : sequence of Rule
        Of rows that are kept; without any, all are.
    any_rule : bool
        One rule that holds is enough; else all must hold.
    drop : sequence of Rule
        A row of which one of these holds is not kept.
    score : label, optional
        Whose probability is the score of a row.
    """

    def __init__(
        self,
        model: Any,
        rules: Sequence[Rule],
        any_rule: bool = False,
        drop: Sequence[Rule] = (),
        score: str | None = None,
    ) -> None:
        self.model = model
        self.any_rule = any_rule
        self.classes = [str(label) for label in model.classes_]
        self.rules, self.drop, self.score = tuple(rules), tuple(drop), score
        for rule in (*rules, *drop):
            find_label(model, rule.label)
        if score is not None:
            find_label(model, score)

    def __call__(self, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return which rows are kept, and the column of each row's best label."""
        keep, best, _ = self.scored(X)
        return keep, best

    def scored(self, X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Return which rows are kept, the column of their best label, and their scores."""
        verdict = self.model.judge(X)
        keep = np.ones(len(verdict.best), bool)
        if self.rules:
            join = np.logical_or if self.any_rule else np.logical_and
            keep = join.reduce([self._holds(rule, verdict) for rule in self.rules])
        for rule in self.drop:
            keep = keep & ~self._holds(rule, verdict)
        if self.score is None:
            return keep, verdict.best, None
        column = self.classes.index(self.score)
        return keep, verdict.best, np.ascontiguousarray(verdict.probability[:, column])

    def _holds(self, rule: Rule, verdict: Any) -> NDArray[Any]:
        column = self.classes.index(rule.label)
        if rule.sign is not None:
            return np.asarray(_SIGNS[rule.sign](verdict.probability[:, column], rule.number))
        wanted = self.model.classes_.tolist()[column]
        answers = verdict.labels.tolist()
        if self.model.multilabel:
            return np.array([wanted in labels for labels in answers], dtype=bool)
        return np.array([label == wanted for label in answers], dtype=bool)
