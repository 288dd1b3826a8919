"""Writing sentences, and spans of raw text in JSON lines."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import Sequences, read_sequences, sequence_writer, write_sequences
from linnet.data.formats.spans import tag_tokens
from linnet.data.tags import convert
from linnet.errors import DataError, FormatError, ParameterError

CHUNKED = b"He PRP B-NP\nran VBD B-VP\n\nWho WP B-NP\n\n"
CONLLU = b"""\
# newdoc
# text = al mar
1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\ta\tADP\tA\t_\t3\tcase\t_\t_
2\tel\tel\tDET\tD\t_\t3\tdet\t_\t_
2.1\tx\tx\t_\t_\t_\t_\t_\t0:y\t_
3\tmar\tmar\tNOUN\tN\t_\t0\troot\t_\t_
3.1\tz\tz\t_\t_\t_\t_\t_\t0:y\t_

# sent_id = 2
1\tAy\tay\tINTJ\tI\t_\t0\troot\t_\t_

"""
CRFSUITE = b"O\tw=\\:\ta\\\\:0.5\nB-X\tbias\n\nO\n\n"
BYTES = {
    "conll": CHUNKED,
    "conllu": CONLLU,
    "crfsuite": CRFSUITE,
    "spans": (
        '{"id": "a", "text": "Größe 🙂!", "spans": [{"start": 6, "end": 7, "label": "E"}]}\n'
    ).encode(),
    "text": b"one  line\n\nand another\n",
    "word_tag": b"1/2/cd the/at a/ race\nYes/uh\n",
}


def read(data: bytes, **options: object) -> Sequences:
    return read_sequences(io.BytesIO(data), **options)  # type: ignore[arg-type]


@pytest.mark.spec("D-06", "D-07")
@pytest.mark.parametrize("format", BYTES)
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_what_was_read_is_written_byte_by_byte(tmp_path: Path, format: str, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    write_sequences(path, read(BYTES[format], format=format))
    found = read_sequences(path, format=format)
    plain = tmp_path / "plain"
    write_sequences(plain, found)
    assert plain.read_bytes() == BYTES[format]


@pytest.mark.spec("D-06")
def test_documents_and_comments_are_written_where_they_were(tmp_path: Path) -> None:
    data = b"-DOCSTART- -X- O\n\n# one\na b c\n\n-DOCSTART- -X- O\n\n# two\n# three\nd e f\n\n"
    write_sequences(tmp_path / "a.conll", read(data, format="conll", comments="#"))
    assert (tmp_path / "a.conll").read_bytes() == data


@pytest.mark.spec("D-06")
def test_real_files_come_back_byte_by_byte(data_dir: Callable[[str], Path], tmp_path: Path) -> None:
    for name in (
        "conll2000/test.txt.gz",
        "ud_en_ewt/en_ewt-ud-test.conllu.gz",
        "brown/test.txt.gz",
    ):
        folder, file = name.split("/")
        found = read_sequences(data_dir(folder) / file)
        write_sequences(tmp_path / "out", found, found.format)
        with gzip.open(data_dir(folder) / file) as raw:
            assert (tmp_path / "out").read_bytes().rstrip() == raw.read().rstrip()


def test_predicted_tags_take_the_place_of_the_old_ones_or_a_column_of_their_own(
    tmp_path: Path,
) -> None:
    tags = [["X", "Y"], ["Z"]]
    write_sequences(tmp_path / "a", read(CHUNKED), tags=tags)
    assert (tmp_path / "a").read_text() == "He PRP X\nran VBD Y\n\nWho WP Z\n\n"
    write_sequences(tmp_path / "a", read(CHUNKED, tag=None), tags=tags)
    assert (tmp_path / "a").read_text() == "He PRP B-NP X\nran VBD B-VP Y\n\nWho WP B-NP Z\n\n"
    for wrong in ([["X"], ["Z"]], [["X", "Y"]]):
        with pytest.raises(DataError, match="one tag a token"):
            write_sequences(tmp_path / "a", read(CHUNKED), tags=wrong)


def test_the_suffix_chooses_the_format(tmp_path: Path) -> None:
    found = read(CHUNKED)
    write_sequences(tmp_path / "a.jsonl", found)
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert rows[0]["text"] == "He ran"
    assert rows[0]["spans"] == [
        {"start": 0, "end": 2, "label": "NP"},
        {"start": 3, "end": 6, "label": "VP"},
    ]
    write_sequences(tmp_path / "a.conllu", found)
    again = read_sequences(tmp_path / "a.conllu")
    assert (again.sentences(), again.tags) == (found.sentences(), found.tags)
    with sequence_writer(tmp_path / "b", "word_tag") as write:
        write(found.take([1]))
        write(found.take([0]), [["X", "Y"]])
    assert (tmp_path / "b").read_text() == "Who/B-NP\nHe/X ran/Y\n"


@pytest.mark.parametrize(
    ("data", "read_as", "write_as", "message"),
    [
        (b"a b\tO\n", "conll", "word_tag", "cannot be written"),
        (CHUNKED, "conll", "crfsuite", "features"),
        (CHUNKED, "conll", "text", "tags"),
        (CRFSUITE, "crfsuite", "conllu", "no words"),
        (b"x/A y\n", "word_tag", "conll", "is empty"),
        (b"x/A y/B\n", "word_tag", "spans", "not a chunk tag"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_leaves_no_file(
    tmp_path: Path, data: bytes, read_as: str, write_as: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_sequences(tmp_path / "out", read(data, format=read_as), write_as)
    assert not list(tmp_path.iterdir())


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no sequence format 'csv'"):
        write_sequences(tmp_path / "a", read(CHUNKED), "csv")


def test_a_token_cut_by_a_span_is_split_or_reported() -> None:
    line = b'{"text": "Ulm-Donau!", "spans": [{"start": 1, "end": 5, "label": "X"}]}\n'
    found = read(line)
    assert found.sentences() == [["U", "lm", "-", "D", "onau", "!"]]
    assert found.tags == [["O", "B-X", "I-X", "I-X", "O", "O"]]
    with pytest.raises(FormatError, match="within the token at 0 to 3") as caught:
        read(line, cut="error")
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ("[[0, 1]]", "a span must be"),
        ('[{"start": 0, "end": 1}]', "a span must be"),
        ('[{"start": 0, "end": true, "label": "X"}]', "a span must be"),
        ('[{"start": 0, "end": 0, "label": "X"}]', "empty or lies outside"),
        ('[{"start": 0, "end": 9, "label": "X"}]', "empty or lies outside"),
        ('[{"start": -1, "end": 2, "label": "X"}]', "empty or lies outside"),
        ('[{"start": 1, "end": 2, "label": "X"}]', "covers no token"),
        (
            '[{"start": 0, "end": 3, "label": "X"}, {"start": 2, "end": 3, "label": "Y"}]',
            "overlap",
        ),
        ('[{"start": 0, "end": 1, "label": "\\ud800"}]', "surrogate"),
        ("7", "needs a list of spans"),
    ],
)
def test_a_wrong_span_is_reported_with_its_line(spans: str, message: str) -> None:
    line = f'{{"text": "a", "spans": []}}\n{{"text": "a b", "spans": {spans}}}\n'
    with pytest.raises(FormatError, match=message) as caught:
        read(line.encode())
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "line", [b"[1]", b"{", b'{"text": 1}', b'{"text": "\\ud800"}', b'{"a": 1}']
)
def test_a_wrong_object_is_reported_with_its_line(line: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read(b'{"text": "a"}\n' + line, format="spans")
    assert caught.value.line == 2


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """A text and spans that start and end with a character that is no white space."""
    text = draw(st.text(st.sampled_from("ab é🙂́.- \u3000x"), max_size=20))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        part = text[start:end]
        if part and not part[0].isspace() and not part[-1].isspace():
            spans.append((start, end, draw(st.sampled_from("XY"))))
    return text, spans


@settings(max_examples=150)
@given(marked=marked_texts(), scheme=st.sampled_from(["IOB1", "IOB2", "BIOES"]))
def test_spans_survive_tags_of_any_scheme_on_any_text(
    tmp_path_factory: pytest.TempPathFactory,
    marked: tuple[str, list[tuple[int, int, str]]],
    scheme: str,
) -> None:
    text, spans = marked
    record = {
        "text": text,
        "spans": [{"start": start, "end": end, "label": label} for start, end, label in spans],
    }
    for tokens in ("unicode", "whitespace"):
        found = read((json.dumps(record) + "\n").encode(), tokens=tokens)
        assert found.tags is not None
        tags = [convert(row, scheme) for row in found.tags]  # type: ignore[arg-type]
        path = tmp_path_factory.getbasetemp() / "spans.jsonl"
        write_sequences(path, found, tags=tags)
        assert json.loads(path.read_text(encoding="utf-8")) == record


def test_spaces_around_a_span_belong_to_no_token() -> None:
    tokens, tags = tag_tokens([(0, 1), (3, 4)], [(1, 4, "X")])
    assert (tokens, tags) == ([(0, 1), (3, 4)], ["O", "B-X"])
