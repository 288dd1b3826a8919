"""Repeated and grouped comparisons: how the data is cut, and what is made of the answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.comparison.given import Cut, as_given, splits_of
from linnet.comparison.repeats import united_test
from linnet.errors import DataError, ParameterError
from linnet.evaluate import mcnemar

WORDS = ("good", "fine", "bad", "poor")
TEXTS = [f"{WORDS[i % 4]} film by w{i % 7}" for i in range(120)]
LABELS = ["p" if i % 4 < 2 else "n" for i in range(120)]
AUTHORS = [f"author {i % 10}" for i in range(120)]
DATA = (TEXTS, LABELS)


def cut(**options: Any) -> list[Any]:
    return splits_of(as_given(DATA), None, Cut(**options))[0]


def test_folds_of_each_repeat_hold_every_example_once_and_repeats_differ() -> None:
    splits = cut(folds=4, repeats=3)
    assert len(splits) == 12
    for first in (0, 4, 8):
        part = [text for one in splits[first : first + 4] for text in one.test.X]
        assert sorted(part) == sorted(TEXTS)
    assert splits[0].test.X != splits[4].test.X


@pytest.mark.parametrize("options", [{"folds": 5}, {}], ids=["folds", "held out"])
def test_a_group_is_never_on_both_sides(options: dict[str, Any]) -> None:
    number = {text: row for row, text in enumerate(f"{t} {i}" for i, t in enumerate(TEXTS))}
    data = as_given((list(number), LABELS))
    splits, how = splits_of(data, None, Cut(**options, groups=AUTHORS, repeats=2))
    assert "groups kept whole" in how
    assert "2 times" in how
    for one in splits:
        sides = [{AUTHORS[number[text]] for text in part.X} for part in (one.train, one.test)]
        assert not sides[0] & sides[1]
        assert one.groups == [AUTHORS[number[text]] for text in one.test.X]


def test_one_repeat_changes_nothing_and_several_are_averaged() -> None:
    different = [f"{text} {i}" for i, text in enumerate(TEXTS)]  # folds of equal size
    noisy = (different, [label if i % 5 else "pn"[label == "p"] for i, label in enumerate(LABELS)])
    plain = linnet.compare(noisy, "nb, perceptron", folds=3)
    once = linnet.compare(noisy, "nb, perceptron", folds=3, repeats=1)
    assert [row.score for row in plain.rows] == [row.score for row in once.rows]
    assert [pair.p for pair in plain.pairs] == [pair.p for pair in once.pairs]
    found = linnet.compare(noisy, "nb, perceptron", folds=3, repeats=2)
    assert found.card["splits"] == "3 folds, 2 times"
    for row in found.rows:
        assert len(row.splits) == 6
        assert row.score == pytest.approx(np.mean(row.splits))
        assert row.interval[0] <= row.score <= row.interval[1]


def test_p_values_of_repeats_are_united_by_twice_their_median() -> None:
    gold = ["a"] * 40
    answers = [["a"] * k + ["b"] * (40 - k) for k in (40, 34, 30, 25)]
    tests = [mcnemar(gold, answers[0], worse) for worse in answers[1:]]
    difference, p = united_test(tests)
    assert p == min(1.0, 2 * sorted(test.p for test in tests)[1])
    assert difference == pytest.approx(np.mean([test.difference for test in tests]))
    assert united_test(tests[:1]) == (tests[0].difference, tests[0].p)


def test_equal_models_are_seldom_told_apart_however_often_they_meet() -> None:
    """Pooling repeats would reject far more often than 5 %."""
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(200):
        skill = rng.random(60) < 0.7  # the same examples are hard in every repeat
        other = rng.random(60) < 0.7
        gold = ["a"] * 60
        tests = []
        for _ in range(3):
            flips = rng.random((2, 60)) < 0.05
            said = [
                np.where(own ^ flip, "a", "b")
                for own, flip in zip((skill, other), flips, strict=True)
            ]
            tests.append(mcnemar(gold, *(part.tolist() for part in said)))
        rejected += united_test(tests)[1] < 0.05
    assert rejected <= 14


def test_groups_are_the_units_of_the_test() -> None:
    found = linnet.compare(DATA, "nb, perceptron", folds=5, groups=AUTHORS)
    assert found.test == "approximate_randomisation"
    assert {row.score for row in found.rows} == {1.0}
    assert found.rows[0].interval[0] < linnet.compare(DATA, "nb", folds=5).rows[0].interval[0]


@pytest.mark.parametrize(
    "options, error, says",
    [
        ({"repeats": 0}, ParameterError, "repeats must be a number of at least 1"),
        ({"repeats": 2, "test": DATA}, ParameterError, "test or repeats, not both"),
        ({"groups": AUTHORS, "test": DATA}, ParameterError, "test or groups, not both"),
        ({"groups": AUTHORS[1:]}, DataError, "120 examples and 119 groups"),
        ({"groups": ["a"] * 120}, DataError, "one group"),
        ({"groups": ["a"] * 120, "folds": 2}, ParameterError, "number of groups 1"),
    ],
)
def test_cuts_that_cannot_be_made_are_refused(options: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        linnet.compare(DATA, "nb", **options)


@pytest.fixture
def run() -> Callable[..., Any]:
    return lambda *arguments: CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_the_command_line_repeats_and_groups(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    rows = (f"{t},{y},{a}" for t, y, a in zip(TEXTS, LABELS, AUTHORS, strict=True))
    path.write_text("\n".join(["text,label,author", *rows]) + "\n")
    common = (path, "--learners", "nb,perceptron", "--folds", 2, "--json")
    found = run(*common, "--repeats", 2, "--group", "author")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert report["data"]["splits"] == "2 folds, groups kept whole, 2 times"
    assert report["data"]["n_splits"] == 4
    refused = run(path, "--test", path, "--group", "author")
    assert refused.exit_code == 1
    assert "--test or --group" in refused.stderr
    assert "nowhere" in run(*common, "--group", "nowhere").stderr


def test_sentences_are_grouped_by_the_comments_above_them(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "some.conllu"
    tail = "\t_\t_\t_\t_\t_\t_\n"
    path.write_text(
        "".join(
            f"# newdoc id = d{i}\n1\tthe\t_\tDET{tail}2\tdog\t_\tNOUN{tail}\n"
            f"1\tdogs\t_\tNOUN{tail}2\trun\t_\tVERB{tail}\n"
            for i in range(6)
        )
    )
    found = run(path, "--learners", "hmm", "--folds", 3, "--group", "newdoc id", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["data"]["splits"] == "3 folds, groups kept whole"
    assert "no comment" in run(path, "--group", "genre").stderr
