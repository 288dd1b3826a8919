"""The same closer look at rows, tokens and sets of labels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest

import linnet
from linnet.data import RowTable
from linnet.errors import DataError
from linnet.evaluate import (
    abstention_curve,
    audit,
    confident_mistakes,
    confusion_cells,
    evaluate_sequences,
    label_suspects,
    suspects,
)
from linnet.evaluate.units import as_units

SENTENCES = [["the", "dog", "ran"], ["dogs", "ran"], ["a", "cat", "sat"], []] * 6
TAGS = [["D", "N", "V"], ["N", "V"], ["D", "N", "V"], []] * 6


@pytest.fixture(scope="module")
def tagger() -> linnet.SequenceTagger:
    return linnet.SequenceTagger().fit(SENTENCES, TAGS)


def turned() -> list[list[str]]:
    """Return the tags with a wrong one at token 1 of sentence 4."""
    tags = [list(row) for row in TAGS]
    tags[4][1] = "V"
    return tags


def test_tokens_are_units_in_the_order_of_the_sentences(tagger: linnet.SequenceTagger) -> None:
    tables = tagger.predict_marginals(SENTENCES)
    units = as_units(turned(), tables, tagger.classes_)
    assert units.gold == list(chain(*turned()))
    assert [units.place(i) for i in range(4)] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert [units.place(int(i)) for i in np.flatnonzero(units.wrong)] == [(4, 1)]
    flat = np.concatenate(tables)
    columns = [tagger.classes_.tolist().index(tag) for tag in units.gold]
    np.testing.assert_array_equal(units.of_truth, flat[np.arange(len(flat)), columns])
    np.testing.assert_array_equal(units.sure, flat.max(axis=1))


def test_the_surest_wrong_token_comes_with_what_spoke_for_it(tagger: linnet.SequenceTagger) -> None:
    [found] = confident_mistakes(tagger, SENTENCES, turned(), features=1000)
    assert (found.row, found.token, found.truth, found.guess) == (4, 1, "V", "N")
    choice = tagger.explain(SENTENCES[4], turned()[4]).tokens[1]
    assert choice.runner_up == "V"
    parts = {p.feature: p.contribution for p in (*choice.features, *choice.neighbours)}
    assert dict(found.features) == {name: v for name, v in parts.items() if v > 0}
    assert sum(parts.values()) == pytest.approx(choice.margin)
    assert found.to_dict()["example"] == "the dog ran"


def test_tags_to_compare_with_must_be_as_many_as_tokens(tagger: linnet.SequenceTagger) -> None:
    with pytest.raises(DataError, match="3 tokens and 1 tags"):
        tagger.explain(["the", "dog", "ran"], ["D"])


def test_suspect_tokens_are_found(tagger: linnet.SequenceTagger) -> None:
    [found] = suspects(turned(), tagger.predict_marginals(SENTENCES), tagger.classes_)
    assert (found.row, found.token, found.given, found.suggested) == (4, 1, "V", "N")
    sentences, tags = SENTENCES[:3] * 12, TAGS[:3] * 12
    wrong = [list(row) for row in tags]
    wrong[3][0] = "V"
    held_out = label_suspects(linnet.SequenceTagger(), sentences, wrong, folds=3)
    assert (held_out[0].row, held_out[0].token, held_out[0].suggested) == (3, 0, "D")


def test_suspects_among_sets_of_labels_are_found_by_models_that_have_not_seen_them() -> None:
    words = {"sport": "ball", "music": "song"}
    sets = [["sport"], ["music"], ["sport", "music"], []] * 12
    texts = [" ".join([*(words[v] for v in one), "the"]) for one in sets]
    sets[8] = ["music"]  # the text says sport
    found = label_suspects(linnet.TextClassifier(C=10.0), texts, sets, folds=4)
    assert {(one.row, one.given) for one in found[:2]} == {(8, "not sport"), (8, "music")}


def test_abstaining_on_tokens_is_abstaining_on_rows(tagger: linnet.SequenceTagger) -> None:
    tables = tagger.predict_marginals(SENTENCES)
    curve = abstention_curve(turned(), tables, tagger.classes_)
    flat = abstention_curve(list(chain(*turned())), np.concatenate(tables), tagger.classes_)
    np.testing.assert_array_equal(curve.accuracy, flat.accuracy)
    np.testing.assert_array_equal(curve.coverage, flat.coverage)
    with pytest.raises(DataError, match="no single answer"):
        abstention_curve([{"a"}], [[0.5, 0.5]], ["a", "b"])


def test_cells_of_tokens_are_the_confusions_of_the_report() -> None:
    rng = np.random.default_rng(0)
    gold = [rng.choice(list("ABC"), 5).tolist() for _ in range(20)]
    guess = [rng.choice(list("ABC"), 5).tolist() for _ in range(20)]
    cells = confusion_cells(gold, guess)
    report = evaluate_sequences(gold, guess)
    wrong = {(c.truth, c.guess): c.count for c in cells if c.truth != c.guess}
    assert wrong == {(a, b): n for a, b, n in report.confusions}
    for cell in cells:
        for sentence, token in cell.rows:
            assert gold[sentence][token] == cell.truth
            assert guess[sentence][token] == cell.guess
    with pytest.raises(DataError, match="sentence 0 has 5 tags and 4"):
        confusion_cells(gold, [guess[0][:4], *guess[1:]])


@pytest.mark.parametrize(
    "learner, words",
    [
        (linnet.MaxEnt(), None),
        (linnet.MemoryBased(), "distance"),
        (linnet.DecisionTree(), "test"),
        (linnet.KernelSVM(), "contribution"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_mistakes_on_rows_have_features_or_reasons(learner: object, words: str | None) -> None:
    rows = [["sunny", 20.0], ["rain", 10.0], ["sunny", 25.0], ["rain", 12.0]] * 6
    labels = ["go", "stay", "go", "stay"] * 6
    model = linnet.RowClassifier(learner).fit(rows, labels)
    table = RowTable(["x0", "x1"], [[row[0] for row in rows], np.array([row[1] for row in rows])])
    wrong = ["stay", *labels[1:]]
    for X in (rows, table):
        [found] = confident_mistakes(model, X, wrong)
        assert (found.row, found.truth, found.guess) == (0, "stay", "go")
        if words is None:
            assert found.features
        else:
            assert found.reasons[0].startswith(words)
        json.dumps(found.to_dict(), allow_nan=False)


def test_sets_are_audited_by_rows_and_sentences_by_tokens() -> None:
    gold = [frozenset("ab"), frozenset("a"), frozenset(), frozenset("b")] * 5
    guess = [frozenset("a"), *gold[1:]]
    found = audit(gold, guess, list("xxyy") * 5, rounds=50)
    assert (found.groups["x"].n, found.groups["x"].accuracy) == (10, 0.9)
    assert found.groups["x"].shares == {"a": 1.0, "b": 0.4}
    tokens = audit(TAGS, TAGS, ["x", "y", "x", "z"] * 6, rounds=50)
    assert {name: score.n for name, score in tokens.groups.items()} == {"x": 36, "y": 12}
    assert tokens.mistakes.p == 1.0


def test_tokens_of_a_sentence_are_no_independent_witnesses() -> None:
    """Sentences of one tag each, in random groups, depend on nothing; single tokens seem to."""
    rng = np.random.default_rng(0)
    together = alone = 0
    for seed in range(60):
        tags = [[str(rng.integers(2))] * 30 for _ in range(16)]
        groups = rng.permutation(["a", "b"] * 8).tolist()
        together += audit(tags, tags, groups, rounds=99, seed=seed).truth.p <= 0.05
        flat = list(chain(*tags))
        alone += audit(flat, flat, np.repeat(groups, 30), rounds=99).truth.p <= 0.05
    assert together <= 8
    assert alone >= 30


def test_sets_of_labels_are_scored_with_the_same_bits_by_every_process() -> None:
    program = """
from linnet.evaluate import audit, bootstrap_interval, confusion_cells, evaluate
names = "sport music news film food travel health money".split()
gold = [{names[i % 8], names[(3 * i + 1) % 8]} for i in range(50)]
guess = [{names[i % 7], names[(5 * i + 2) % 8]} for i in range(50)]
print(bootstrap_interval(gold, guess, "macro_f1", rounds=50))
print(audit(gold, guess, ["a", "b"] * 25, rounds=20))
print(confusion_cells(gold, guess)[:9])
print(evaluate(gold, guess))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "3")
    }
    assert len(printed) == 1
