"""The comparison itself: the same splits for all, pooled answers, a test for every pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from linnet.comparison.answers import kept
from linnet.comparison.card import baseline, call_of, card
from linnet.comparison.given import Cut, Split, Tagged, as_given, splits_of
from linnet.comparison.learners import chosen, given_settings, left_out, takes_all
from linnet.comparison.result import Comparison
from linnet.comparison.rounds import Board, Plan, play_all
from linnet.comparison.scoring import paired, scored
from linnet.errors import DataError, ParameterError
from linnet.model.legal import scheme_of

__all__ = ["compare"]


def compare(
    data: Any,
    learners: Any = "all",
    *,
    test: Any = None,
    columns: Mapping[str, Any] | None = None,
    folds: int | None = None,
    repeats: int = 1,
    groups: Sequence[Any] | None = None,
    seed: int = 0,
    time_budget: float | None = None,
    curve: Sequence[float] | None = None,
    explain: bool = False,
    n_threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
    rounds: Callable[[Sequence[Split], Plan], Board] = play_all,
) -> Comparison:
    """Train learners on the same data and say which is best, how sure that is, and at what cost.

    Parameters
    ----------
    data : path, Examples, RowFile, Sequences, or (examples, labels)
        Texts, bags, vectors or rows of values with one label each, or sentences with tags.
    learners : "all", names, estimators, or a mapping from names to estimators
        "all" takes every learner that fits the kind of data; those that look at all pairs of
        examples (MemoryBased, KernelSVM) only up to 2,000 of them, and ``skipped`` says who was
        left out. A learner that is named gets its C, its smoothing or its k chosen on held-out
        training examples where that costs little, an estimator keeps what it has. What models
        counts or presence is given those in place of TF-IDF.
    test : the same as `data`, optional
        What to measure on. By default a fifth of `data` is held out, labels in proportion.
    columns : dict, optional
        For a table, what each column holds, as for :class:`linnet.TextClassifier`: texts,
        categories and numbers side by side.
    folds : int, optional
        Cross-validation instead: the answers of all folds are pooled.
    repeats : int
        How often everything is cut anew. A score is then the mean over repeats, and p is twice
        the median of the repeats' p, which is valid however they depend on each other.
    groups : sequence, optional
        What each example belongs to, for example its author: no group is on both sides, and a
        group counts as one unit in intervals and tests.
    seed : int
        Of the splits, the learners and the bootstrap.
    time_budget : float, optional
        Seconds for choosing each learner's settings on a part of the training data; see
        :mod:`linnet.comparison.search` for why the same seed and budget give the same choice.
    curve : sequence of float, optional
        Shares of the training data, such as ``(0.1, 0.3, 1)``, for learning curves.
    explain : bool
        Keep the strongest features of each learner and the reasons for its surest mistakes, which
        :meth:`Comparison.report` shows.
    n_threads : int, optional
        None uses all cores. Scores do not depend on it.
    progress : function, optional
        Is told what is done and which share of all is behind.
    rounds : function of splits and a plan
        Who trains every learner on every split; :func:`linnet.scale.compare` has the workers of a
        cluster do it.

    Returns
    -------
    Comparison
        ``print`` shows it.

    Examples
    --------
    >>> import linnet
    >>> corpus = linnet.data.load_pydoc()
    >>> found = linnet.compare((corpus.train_texts, corpus.train_labels), "nb, perceptron, svm")
    >>> found.rows[0].score > 0.7, len(found.pairs), found.test
    (True, 3, 'mcnemar')
    >>> found.winner in ("SVM", "Perceptron", None)
    True
    """
    began = perf_counter()
    _check(time_budget, curve)
    given = as_given(data, columns=columns)
    if isinstance(given, Tagged):
        scheme_of("auto", given.tags, getattr(given.sentences, "lines", None))  # warns
    cut = Cut(folds, repeats, groups, seed)
    splits, how = splits_of(given, test, cut)
    wanted = chosen(learners, kind=given.kind, n=len(splits[0].train))
    plan = Plan(
        learners=wanted,
        fixed=given_settings(learners, wanted),
        seed=seed,
        n_threads=n_threads,
        budget=None if time_budget is None else time_budget / len(splits),
        shares=tuple(curve or ()),
        forgiving=takes_all(learners),
        say=progress or (lambda what, share: None),
        explain=explain,
    )
    board = rounds(splits, plan)
    if not board.outcomes:
        reasons = "; ".join(f"{name}: {why}" for name, why in board.skipped.items())
        raise DataError(f"No learner could be trained on this data. {reasons}")
    plan.say("comparing", 1.0)
    rows = [
        scored(
            name, wanted[name], board.metric, board.gold, found, board.curves[name], seed, repeats,
            board.groups,
        )
        for name, found in board.outcomes.items()
    ]  # fmt: skip
    rows.sort(key=lambda row: -row.score)
    test_name, pairs = paired([row.name for row in rows], board, seed, repeats)
    described = card(given, splits, how, board)
    described |= {"seed": seed, "baseline": baseline(splits, board.metric)}
    described["call"] = call_of(learners, test, cut, time_budget, curve, columns)
    skipped = board.skipped
    if plan.forgiving:
        skipped = skipped | left_out(given.kind, len(splits[0].train))
    seconds = perf_counter() - began
    return Comparison(
        board.metric, test_name, tuple(rows), pairs, described, skipped, seconds,
        kept(splits, board.gold, board.outcomes),
    )  # fmt: skip


def _check(time_budget: float | None, curve: Sequence[float] | None) -> None:
    if time_budget is not None and not 0 <= time_budget < float("inf"):
        raise ParameterError(f"time_budget must be a number of seconds, got {time_budget!r}.")
    wrong = next((share for share in curve or () if not 0 < share <= 1), None)
    if wrong is not None:
        raise ParameterError(f"curve must hold shares above 0 and up to 1, got {wrong!r}.")
