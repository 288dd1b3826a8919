"""JSON lines with marked spans."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import write_sequences
from linnet.data.formats.spans import tag_tokens
from linnet.data.tags import convert
from linnet.errors import FormatError

from ..reading import read_sentences


def test_a_token_cut_by_a_span_is_split_or_reported() -> None:
    line = b'{"text": "Ulm-Donau!", "spans": [{"start": 1, "end": 5, "label": "X"}]}\n'
    found = read_sentences(line)
    assert found.sentences() == [["U", "lm", "-", "D", "onau", "!"]]
    assert found.tags == [["O", "B-X", "I-X", "I-X", "O", "O"]]
    with pytest.raises(FormatError, match="within the token at 0 to 3") as caught:
        read_sentences(line, cut="error")
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
        read_sentences(line.encode())
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "line", [b"[1]", b"{", b'{"text": 1}', b'{"text": "\\ud800"}', b'{"a": 1}']
)
def test_a_wrong_object_is_reported_with_its_line(line: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_sentences(b'{"text": "a"}\n' + line, format="spans")
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
        found = read_sentences((json.dumps(record) + "\n").encode(), tokens=tokens)
        assert found.tags is not None
        tags = [convert(row, scheme) for row in found.tags]  # type: ignore[arg-type]
        path = tmp_path_factory.getbasetemp() / "spans.jsonl"
        write_sequences(path, found, tags=tags)
        assert json.loads(path.read_text(encoding="utf-8")) == record


def test_spaces_around_a_span_belong_to_no_token() -> None:
    tokens, tags = tag_tokens([(0, 1), (3, 4)], [(1, 4, "X")])
    assert (tokens, tags) == ([(0, 1), (3, 4)], ["O", "B-X"])
