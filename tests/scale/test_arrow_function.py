"""A model as a function on record batches: the model's answers, a row for a row."""

import pickle
from pathlib import Path

import numpy as np
import polars
import pyarrow as pa
import pytest

import linnet
from linnet.errors import DataError, ParameterError
from linnet.scale import arrow_function

TEXTS = ["a good film", "a dull film", None, "good", "", "dull ¿?", "héllo\x00"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of texts."""
    path = tmp_path_factory.mktemp("model") / "m.linnet"
    linnet.TextClassifier(ngrams=1).fit(
        ["good film", "fine film", "dull film", "poor film"] * 5, ["+", "+", "-", "-"] * 5
    ).save(path)
    return path


def test_answers_are_those_of_the_model_and_a_missing_text_keeps_its_row(file: Path) -> None:
    model = linnet.load(file)
    out = arrow_function(file, score="+")(pa.record_batch({"id": range(7), "text": TEXTS}))
    assert isinstance(out, pa.RecordBatch)
    assert out.schema.names == ["id", "text", "label", "probability", "score"]
    known = [text for text in TEXTS if text is not None]
    labels = model.predict(known).tolist()
    assert out["label"].to_pylist() == [*labels[:2], None, *labels[2:]]
    shares = model.predict_proba(known)[:, model.classes_.tolist().index("+")].tolist()
    assert out["score"].to_pylist() == [*shares[:2], None, *shares[2:]]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
)
def test_every_arrow_type_of_text_gives_the_same_answers(file: Path, kind: pa.DataType) -> None:
    function = arrow_function(file)
    plain = function(pa.table({"text": TEXTS}))
    column = pa.array(TEXTS, pa.string()).cast(kind)
    other = function(pa.table({"text": pa.chunked_array([column.slice(0, 3), column.slice(3)])}))
    assert other["label"].to_pylist() == plain["label"].to_pylist()
    assert other["probability"].to_pylist() == plain["probability"].to_pylist()


def test_many_rows_are_answered_in_their_order(file: Path) -> None:
    texts = ["good", "dull", "dull"] * 10_000
    out = arrow_function(file, keep=False)(pa.table({"text": texts}))
    assert out.column_names == ["label", "probability"]
    assert out["label"].to_pylist() == ["+", "-", "-"] * 10_000


def test_an_empty_batch_has_the_columns_of_any_other(file: Path) -> None:
    function = arrow_function(file, score="-")
    batch = pa.record_batch({"text": pa.array([], pa.string())})
    assert function(batch).schema == function.schema(batch.schema)
    assert function(pa.table({"text": TEXTS})).schema == function.schema(batch.schema)


def test_the_function_travels_as_the_name_of_its_file_and_sees_a_new_model(file: Path) -> None:
    function = pickle.loads(pickle.dumps(arrow_function(file)))
    assert len(pickle.dumps(function)) < 1000
    batch = pa.table({"text": ["good", "dull"]})
    assert function(batch)["label"].to_pylist() == ["+", "-"]
    linnet.TextClassifier(ngrams=1).fit(["good", "dull"] * 9, ["yes", "no"] * 9).save(file)
    assert function(batch)["label"].to_pylist() == ["yes", "no"]


def test_rows_are_read_by_the_names_of_their_columns() -> None:
    table = [{"sky": "sun", "heat": 30.0}, {"sky": "rain", "heat": 10.0}] * 9
    clf = linnet.RowClassifier(linnet.DecisionTree()).fit(table, ["go", "stay"] * 9)
    batch = pa.table({"heat": [12.0, 31.0], "x": [1, 2], "sky": ["rain", "sun"]})
    assert arrow_function(clf.model_)(batch)["label"].to_pylist() == ["stay", "go"]
    with pytest.raises(DataError, match="no column 'heat'; it has sky"):
        arrow_function(clf.model_)(batch.select(["sky"]))


def test_a_model_of_columns_finds_them_by_their_names() -> None:
    rows = [{"sky": "bright sun", "heat": 30.0}, {"sky": "grey rain", "heat": 10.0}] * 9
    columns = {"sky": "words", "heat": "number"}
    clf = linnet.TextClassifier(columns=columns).fit(rows, ["go", "stay"] * 9)
    batch = pa.table({"heat": [12.0, None], "x": [1, 2], "sky": ["rain", "sun"]})
    assert arrow_function(clf.model_)(batch)["label"].to_pylist() == ["stay", "go"]
    with pytest.raises(DataError, match="no column 'heat'; it has sky"):
        arrow_function(clf.model_)(batch.select(["sky"]))


def test_a_tagger_gives_tags_of_words_and_spans_of_texts() -> None:
    words, tags = [["Ann", "saw", "Rome"]] * 9, [["B-PER", "O", "B-LOC"]] * 9
    model = linnet.SequenceTagger().fit(words, tags).model_
    batch = pa.table({"words": [["Ann", "saw", "Rome"], None], "text": ["Ann saw Rome", "saw"]})
    tagged = arrow_function(model, "words")(batch)
    assert tagged["tags"].to_pylist() == [["B-PER", "O", "B-LOC"], None]
    spans = arrow_function(model, answers={"spans": "entities"})(batch)["entities"].to_pylist()
    assert [(span["text"], span["label"]) for span in spans[0]] == [("Ann", "PER"), ("Rome", "LOC")]
    assert batch["text"][0].as_py()[spans[0][1]["start"] : spans[0][1]["end"]] == "Rome"


def test_several_labels_are_lists() -> None:
    clf = linnet.TextClassifier(ngrams=1).fit(
        ["a", "b", "a b", ""] * 5, [["x"], ["y"], ["x", "y"], []] * 5
    )
    out = arrow_function(clf.model_, score="y")(pa.table({"text": ["b a", "c"]}))
    assert out["labels"].to_pylist()[0] == ["x", "y"]
    assert out["score"][0].as_py() > 0.5


def test_polars_calls_it_on_its_own_columns(file: Path) -> None:
    frame = polars.DataFrame({"text": ["good", None, "dull"]})
    out = polars.from_arrow(arrow_function(file)(frame.to_arrow()))
    assert out["label"].is_null().to_list() == [False, True, False]


def test_what_cannot_be_answered_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no column 'text'; it has body"):
        arrow_function(file)(pa.table({"body": ["a"]}))
    with pytest.raises(DataError, match="holds int64, the model reads texts"):
        arrow_function(file)(pa.table({"text": [1]}))
    with pytest.raises(ParameterError, match="no label 'good' to score; there are"):
        arrow_function(file, score="good")
    with pytest.raises(ParameterError, match="answers renames"):
        arrow_function(file, answers={"labell": "x"})
    with pytest.raises(DataError, match="has no column 'id'"):
        arrow_function(file, keep=["id"])(pa.table({"text": ["a"]}))
    with pytest.raises(DataError, match=r"gone\.linnet cannot be opened"):
        arrow_function(tmp_path / "gone.linnet")
    vectors = linnet.TextClassifier().fit(np.eye(2)[[0, 1] * 9], ["a", "b"] * 9)
    with pytest.raises(DataError, match="bags or vectors"):
        arrow_function(vectors.model_)(pa.table({"text": ["a"]}))
    with pytest.raises(ParameterError, match="classifier of texts or rows"):
        arrow_function(linnet.MaxEnt())  # type: ignore[arg-type]
