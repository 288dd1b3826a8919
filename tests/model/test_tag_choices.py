"""What a tagger decides by itself: the scheme to keep to, and what to look at."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.data.tags import illegal
from linnet.errors import DataWarning
from linnet.model.legal import scheme_of

WORDS = [["Ann", "Lee", "met", "Bob"], ["she", "saw", "Ann", "Lee"], ["Bob", "left", "it", "all"]]
TAGS = [
    ["B-PER", "I-PER", "O", "B-PER"],
    ["O", "O", "B-PER", "I-PER"],
    ["B-PER", "O", "O", "O"],
]
WRONG = [*TAGS[:1], ["O", "O", "I-PER", "I-PER"], *TAGS[2:]]


def test_one_illegal_tag_is_reported_and_constraints_stay_on() -> None:
    gold = TAGS * 20 + WRONG
    message = (
        r"^1 tag is illegal in IOB2, the first at token 3 of sentence 62: I-PER after O; "
        "predictions keep to IOB2 all the same.$"
    )
    with pytest.warns(DataWarning, match=message):
        tagger = linnet.SequenceTagger().fit(WORDS * 21, gold)
    assert tagger.model_.scheme == "IOB2"
    unseen = [["it", "Lee", "Lee"], ["Lee"], ["all", "Ann", "met", "Lee"]]
    assert not any(illegal(tags, "IOB2") for tags in tagger.predict(unseen))


def test_an_illegal_sequence_is_still_learned_from() -> None:
    gold = TAGS * 20 + WRONG
    with pytest.warns(DataWarning):
        tagger = linnet.SequenceTagger(linnet.CRF(C=10.0)).fit(WORDS * 21, gold)
    [marginals] = tagger.predict_marginals([WORDS[1]], constraints=None)
    inside = tagger.classes_.tolist().index("I-PER")
    assert 0.01 < marginals[2, inside] < 0.5


def test_legal_tags_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scheme_of("auto", TAGS) == scheme_of("iob2", TAGS) == "IOB2"
        assert scheme_of("auto", [["N", "V"]]) is None
        assert scheme_of(None, WRONG) is None


def test_tags_that_follow_no_scheme_turn_constraints_off_aloud() -> None:
    with pytest.warns(DataWarning, match="held to any scheme; repair the tags"):
        assert scheme_of("auto", [["O", "I-X", "B-Y"]]) is None
    with pytest.warns(DataWarning, match="predictions keep to IOB2"):
        assert scheme_of("iob2", [["O", "I-X", "B-Y"]]) == "IOB2"


def test_train_says_in_which_line_an_illegal_tag_stands(tmp_path: Path) -> None:
    rows = zip(WORDS * 21, TAGS * 20 + WRONG, strict=True)
    text = "".join("".join(f"{w}\t{t}\n" for w, t in zip(*row, strict=True)) + "\n" for row in rows)
    data = tmp_path / "data.conll"
    data.write_text(text)
    found = CliRunner().invoke(app, ["train", str(data), "-o", str(tmp_path / "m.linnet")])
    assert found.exit_code == 0, found.output
    assert "warning: 1 tag is illegal in IOB2" in found.output
    assert "sentence 62, which starts in line 306" in found.output
    assert "in IOB2\n" in found.stdout


@pytest.mark.parametrize(
    ("tags", "columns", "chosen"),
    [
        (["O", "O", "B-PER", "O"], 2, "ner"),
        (["O", "O", "B-PER", "O"], 1, "ner"),
        (["B-NP", "B-VP", "B-NP", "O"], 2, "auto"),
        (["N", "O", "O", "O"], 2, "auto"),
        (["N", "V", "D", "N"], 1, "auto"),
    ],
)
def test_entities_are_looked_at_with_the_features_for_entities(
    tags: list[str], columns: int, chosen: str
) -> None:
    sentence = [(word, "X") if columns == 2 else word for word in ("a", "b", "Cee", "d")]
    tagger = linnet.SequenceTagger(supply_columns=False).fit([sentence] * 3, [tags] * 3)
    assert tagger.record_["features"] == chosen
    plain = linnet.SequenceTagger(
        features={"ner": "ner", "auto": "chunking" if columns == 2 else "pos"}[chosen],
        supply_columns=False,
    ).fit([sentence] * 3, [tags] * 3)
    assert tagger.features_.extractor_.names.tolist() == plain.features_.extractor_.names.tolist()


def test_compare_says_once_what_is_illegal() -> None:
    with pytest.warns(DataWarning, match="1 tag is illegal in IOB2") as caught:
        linnet.compare((WORDS * 21, TAGS * 20 + WRONG), "hmm, perceptron", folds=3)
    assert len([one for one in caught if one.category is DataWarning]) == 1
