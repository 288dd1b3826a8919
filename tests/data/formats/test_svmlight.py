"""Reading and writing ``label index:value`` files (SPEC D-10)."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from linnet.data.examples import stream_examples
from linnet.data.files import read_blocks
from linnet.data.formats import _svmlight_parse as parse
from linnet.data.formats.svmlight import read_svmlight, write_svmlight
from linnet.errors import DataError, FormatError, ParameterError
from linnet.learn.rerank import Reranker


def read(text: str, **options: Any) -> tuple[csr_matrix, np.ndarray]:
    return read_svmlight(io.BytesIO(text.encode()), **options)


@pytest.mark.spec("D-10", "E-01")
def test_labels_indices_values_comments_and_queries_are_read() -> None:
    X, y = read("# head\n+1 qid:3 1:.5 4:-2e1 # note 9:9\r\n\n-1\t2:1\n0\n2 qid:4")
    assert X.toarray().tolist() == [[0.5, 0, 0, -20], [0, 1, 0, 0], [0] * 4, [0] * 4]
    assert y.tolist() == [1, -1, 0, 2]
    assert y.dtype == np.int64
    assert X.dtype == np.float64
    assert X.has_canonical_format


def test_labels_with_a_fraction_come_back_as_floats() -> None:
    assert read("1.5 1:1\n2 1:1")[1].dtype == np.float64
    assert read("1.0 1:1\n2 1:1")[1].dtype == np.int64


def test_index_zero_means_a_zero_based_file_unless_said_otherwise() -> None:
    assert read("1 0:5 2:6")[0].toarray().tolist() == [[5, 0, 6]]
    assert read("1 1:5", zero_based=True)[0].toarray().tolist() == [[0, 5]]
    assert read("1 1:5", zero_based=False)[0].toarray().tolist() == [[5]]


def test_n_features_fixes_the_width() -> None:
    assert read("1 2:1", n_features=7)[0].shape == (1, 7)
    assert read("1 7:1", n_features=7)[0].shape == (1, 7)
    assert read("1")[0].shape == (1, 0)


def test_dtype_float32_is_honoured_and_does_not_overflow_silently() -> None:
    assert read("1 1:0.1", dtype=np.float32)[0].dtype == np.float32
    with pytest.raises(DataError, match="float64"):
        read("1 1:1e300", dtype=np.float32)


MALFORMED = [
    # text, options, line, column, words of the message
    ("1 1:1\nspam 1:1", {}, 2, 1, "label 'spam' is not a number"),
    ("1 1:1\n 1:1 2:2", {}, 2, 2, "label '1:1' is not a number"),
    ("1,2 1:1", {}, 1, 1, "several labels"),
    ("nan 1:1", {}, 1, 1, "label 'nan' is not finite"),
    ("1 1:1 2", {}, 1, 7, "expected index:value, found '2'"),
    ("1 1:1 x:2", {}, 1, 7, "index 'x' is not a whole number"),
    ("1 1.0:2", {}, 1, 3, "index '1.0' is not a whole number"),
    ("1 +1:2", {}, 1, 3, "index '+1' is not a whole number"),
    ("1 -1:2", {}, 1, 3, "index '-1' is not a whole number"),
    ("1 :2", {}, 1, 3, "index '' is not a whole number"),
    ("1 1:", {}, 1, 5, "no value"),
    ("1 1: 2:3", {}, 1, 5, "no value"),
    ("1 1:a", {}, 1, 5, "value 'a' is not a number"),
    ("1 1:1_0", {}, 1, 5, "value '1_0' is not a number"),
    ("1 1:0x10", {}, 1, 5, "value '0x10' is not a number"),
    ("1 1:2:3", {}, 1, 5, "value '2:3' is not a number"),
    ("1 1:1,2:2", {}, 1, 5, "is not a number"),
    ('1 1:"2"', {}, 1, 5, "is not a number"),
    ("1 1:1\n\n# c\n1 1:1 3:nan", {}, 4, 9, "value 'nan' is not finite"),
    ("1 1:-Inf", {}, 1, 5, "value '-Inf' is not finite"),
    ("1 1:1e999", {}, 1, 5, "too large"),
    ("1 3:1 2:1", {}, 1, 7, "index 2 follows 3"),
    ("1 3:1 3:1", {}, 1, 7, "index 3 is given twice"),
    ("1 9999999999:1", {}, 1, 3, "larger than"),
    ("1 0:1", {"zero_based": False}, 1, 3, "indices start at 1"),
    ("1 1:1 8:1", {"n_features": 7}, 1, 7, "beyond the last feature 7"),
    ("1 7:1", {"n_features": 7, "zero_based": True}, 1, 3, "beyond the last feature 6"),
    ("1 0:1\n1 7:1", {"n_features": 7}, 2, 3, "both 0 and 7"),
    ("1 7:1\n1 0:1", {"n_features": 7}, 2, 3, "both 0 and 7"),
    ("1 qid:x 1:1", {}, 1, 3, "expected qid:number"),
    ("1 1:1\x00", {}, 1, 5, "is not a number"),
    ("1 1:\u0663", {}, 1, 5, "is not a number"),
    ("", {}, 1, 1, "no example"),
    ("# only a comment\n\n", {}, 1, 1, "no example"),
]


@pytest.mark.spec("D-10")
@pytest.mark.parametrize("without_arrow", [False, True], ids=["arrow", "numpy"])
@pytest.mark.parametrize(("text", "options", "line", "column", "words"), MALFORMED)
def test_every_mistake_is_reported_where_it_is(
    text: str,
    options: dict[str, Any],
    line: int,
    column: int,
    words: str,
    without_arrow: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if without_arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "bad.svm"
    path.write_bytes(text.encode())
    with pytest.raises(FormatError) as caught:
        read_svmlight(path, **options)
    error = caught.value
    assert words in str(error)
    assert (error.file, error.line, error.column) == (str(path), line, column)


def test_a_mistake_after_many_blocks_has_the_right_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def small_blocks(source: Any) -> Any:
        return read_blocks(source, size=100)

    monkeypatch.setattr("linnet.data.formats.svmlight.read_blocks", small_blocks)
    good = "1 1:1 2:2\n" * 20_000
    assert read(good)[0].shape == (20_000, 2)
    with pytest.raises(FormatError) as caught:
        read(good + "1 2:2 1:1\n" + good)
    assert (caught.value.line, caught.value.column) == (20_001, 7)


def test_a_truncated_archive_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cut.svm.gz"
    text = "".join(f"1 1:{i} 2:{i * i % 997}\n" for i in range(30_000))
    path.write_bytes(gzip.compress(text.encode())[:-5000])
    with pytest.raises(FormatError, match="cut short") as caught:
        read_svmlight(path)
    assert 1 < (caught.value.line or 0) <= 30_001


@pytest.mark.parametrize("options", [{"zero_based": "no"}, {"n_features": -1}, {"dtype": int}])
def test_senseless_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        read("1 1:1", **options)


# Tokens from which both good and bad lines are made.
TOKENS = ["1", "-1", "+2.5", "1:1", "2:.5", "3:-1e-3", "7:2", "qid:4", "0:1", "#", ":", "2:", "x",
          "1:nan", "4:4:4", "\t", "\r", "", "5.0:1", "1e400", ",", "3:1e400"]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(TOKENS), max_size=5).map(" ".join), max_size=4))
@example(["\t qid:4"])
@example(["1 qid:4 qid:5 1:1", "qid:4 1"])
def test_the_fast_parser_agrees_with_the_exact_one(lines: list[str]) -> None:
    block = "\n".join(lines).encode()
    fast = parse.parse_fast(block, parse.Limits(None, None))
    try:
        exact = parse.parse_exact(block, 1, "f", parse.Limits(None, None))
    except FormatError:
        assert fast is None
        return
    assert fast is not None
    for ours, theirs in zip(fast, exact, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def matrices(width: Literal[32, 64]) -> st.SearchStrategy[list[list[float]]]:
    values = st.floats(allow_nan=False, allow_infinity=False, width=width)
    row = st.lists(values | st.sampled_from([0.0, 1.0]), min_size=4, max_size=4)
    return st.lists(row, min_size=1, max_size=5)


@pytest.mark.spec("D-10")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_what_is_written_is_read_back_exactly(
    dtype: type, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows: NDArray[Any] = np.array(
        data.draw(matrices(32 if dtype is np.float32 else 64)), dtype=dtype
    )
    labels = data.draw(
        st.lists(st.integers(-(2**53), 2**53), min_size=len(rows), max_size=len(rows))
    )
    zero_based = data.draw(st.booleans())
    path = tmp_path_factory.getbasetemp() / "round.svm"
    write_svmlight(path, csr_matrix(rows), labels, zero_based=zero_based, comment="a\nb")
    X, y = read_svmlight(path, n_features=4, zero_based=zero_based, dtype=dtype)
    np.testing.assert_array_equal(X.toarray(), rows)
    assert y.tolist() == labels


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_float_labels_are_read_back_exactly(labels: list[float]) -> None:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        write_svmlight("-", np.ones((len(labels), 1)), labels)
    assert read(out.getvalue())[1].tolist() == labels


def test_unsorted_rows_and_duplicates_are_written_in_order(tmp_path: Path) -> None:
    X = csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    write_svmlight(tmp_path / "a", X, [1])
    assert (tmp_path / "a").read_text() == "1 1:2 3:4\n"
    assert X.nnz == 3  # the caller's matrix is untouched


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[np.nan]], [1], "X holds NaN"),
        ([[1.0]], [np.inf], "y holds NaN or inf"),
        ([[1.0]], ["spam"], "labels must be numbers"),
        ([[1.0]], [1, 2], "X has 1 rows"),
        ([[1j]], [1], "real numbers"),
        ([[1]], [2**60], "2\\*\\*53"),
    ],
)
def test_what_the_format_cannot_express_is_refused(
    X: Any, y: Any, words: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=words):
        write_svmlight(tmp_path / "a", X, y)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("D-10")
def test_a9a_is_read_like_scikit_learn_reads_it(data_dir: Callable[[str], Path]) -> None:
    from sklearn.datasets import load_svmlight_file

    path = data_dir("a9a") / "a9a.gz"
    X, y = read_svmlight(path)
    assert X.shape == (32_561, 123)
    assert np.unique(y).tolist() == [-1, 1]
    theirs, labels = load_svmlight_file(str(path))
    assert (X != theirs).nnz == 0
    np.testing.assert_array_equal(y, labels)
    test, _ = read_svmlight(path.with_name("a9a.t.gz"), n_features=123)
    assert test.shape == (16_281, 123)


def test_blocks_of_an_svmlight_file_agree_on_where_indices_start() -> None:
    raw = b"1 1:1\n" * 20 + b"1 9:1\n"
    blocks = list(stream_examples(io.BytesIO(raw), format="svmlight", block_bytes=60))
    assert [block.X.shape[1] for block in blocks] == [1, 1, 9]
    zero = list(stream_examples(io.BytesIO(b"1 0:1\n" + raw), format="svmlight", block_bytes=60))
    assert zero[-1].X.indices.tolist()[-1] == 9


@pytest.mark.spec("E-01", "D-10")
def test_query_ids_are_kept_on_request_and_written_back(tmp_path: Path) -> None:
    text = "# head\n2 qid:7 1:1 # best\n\n1 qid:7 2:1\n3 qid:12 1:0.5 2:2\n"
    X, y, q = read_svmlight(io.BytesIO(text.encode()), query_ids=True)
    assert (q.tolist(), y.tolist()) == ([7, 7, 12], [2, 1, 3])
    path = tmp_path / "ranked.svm"
    write_svmlight(path, X, y, query_ids=q)
    assert path.read_text() == "2 qid:7 1:1\n1 qid:7 2:1\n3 qid:12 1:0.5 2:2\n"
    again = read_svmlight(path, query_ids=True)
    np.testing.assert_array_equal(again[2], q)


@pytest.mark.spec("E-01")
@pytest.mark.parametrize("line", ["1 1:1", "1 qid:1 qid:2 1:1", "1 1:1 # qid:3"])
def test_a_row_without_one_query_is_refused_where_queries_are_wanted(line: str) -> None:
    with pytest.raises(FormatError, match="qid:number") as caught:
        read_svmlight(io.BytesIO(f"2 qid:7 1:1\n{line}\n".encode()), query_ids=True)
    assert caught.value.line == 2
    for wrong in ([1], [1.5, 2.0], [-1, 2]):
        with pytest.raises(DataError, match="query_ids"):
            write_svmlight("-", np.eye(2), [0, 1], query_ids=wrong)


@pytest.mark.spec("E-01", "C-08")
def test_queries_are_the_lists_that_a_reranker_chooses_from() -> None:
    lines = [
        f"{int(k == best)} qid:{n} 1:{int(k == best) + 0.1 * k} 2:{k}\n"
        for n, best in enumerate([0, 2, 1, 2, 0, 1])
        for k in range(3)
    ]
    X, y, q = read_svmlight(io.BytesIO("".join(lines).encode()), query_ids=True)
    rows = [dict(zip(map(str, row.indices), row.data, strict=True)) for row in X]
    lists = [[rows[i] for i in np.flatnonzero(q == n)] for n in np.unique(q)]
    best = [int(np.argmax(y[q == n])) for n in np.unique(q)]
    assert Reranker(random_state=0).fit(lists, best).score(lists, best) == 1.0
