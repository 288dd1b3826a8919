"""Reading sentences of every format: columns, CoNLL-U, word/tag, CRFsuite, raw text."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import (
    read_sequences,
    sniff_sequences,
    stream_sequences,
)
from linnet.data.tags import detect_scheme
from linnet.errors import FormatError, ParameterError

from .reading import read_sentences

REAL = [
    ("conll2000/train.txt.gz", "conll", 8936, 211727, 22),
    ("conll2000/test.txt.gz", "conll", 2012, 47377, 19),
    ("brown/test.txt.gz", "word_tag", 5734, 115685, 277),
    ("timex_de/test.conll.gz", "conll", 6673, 216785, 9),
    ("snips/test.bio.gz", "conll", 700, None, None),
    ("ud_en_ewt/en_ewt-ud-dev.conllu.gz", "conllu", 2001, None, 17),
]


CHUNKED = b"He PRP B-NP\nran VBD B-VP\n\nWho WP B-NP\n"


CONLLU = b"""\
# sent_id = 1
# text = vamonos al mar
1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tx\tx\t_\t_\t_\t_\t_\t0:y\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tA\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_
5.1\tz\tz\t_\t_\t_\t_\t_\t0:y\t_

# sent_id = 2
1\tAy\tay\tINTJ\tI\t_\t0\troot\t_\t_

"""


@pytest.mark.spec("D-06", "D-07")
@pytest.mark.parametrize(("name", "format", "rows", "tokens", "labels"), REAL)
def test_real_data_sets_are_found_out_by_themselves(
    data_dir: Callable[[str], Path],
    name: str,
    format: str,
    rows: int,
    tokens: int | None,
    labels: int | None,
) -> None:
    folder, file = name.split("/")
    found = read_sequences(data_dir(folder) / file)
    assert (found.format, len(found)) == (format, rows)
    assert tokens in (None, found.n_tokens)
    assert labels in (None, len(found.tag_ids()[0]))


@pytest.mark.spec("D-06", "A-53")
@pytest.mark.parametrize("part", ["train", "test"])
def test_the_chunks_of_conll_2000_are_written_in_iob2(
    data_dir: Callable[[str], Path], part: str
) -> None:
    found = read_sequences(data_dir("conll2000") / f"{part}.txt.gz")
    assert detect_scheme(found.tags) == "IOB2"


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 10**6])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_stream_yields_the_same_sentences_as_the_whole_file(
    block_bytes: int, ending: bytes
) -> None:
    data = b"-DOCSTART- O\n\n" + b"a O\nb B-X\n\n\nc O\n\nd O\ne O\nf O\n" * 5
    data = data.replace(b"\n", ending)
    whole = read_sentences(data, format="conll")
    blocks = list(
        stream_sequences(
            io.BytesIO(data), format="conll", columns=["w", "t"], block_bytes=block_bytes
        )
    )
    assert [row for block in blocks for row in block.sentences()] == whole.sentences()
    assert [row for block in blocks for row in block.tags or []] == whole.tags
    assert [line for block in blocks for line in block.lines.tolist()] == whole.lines.tolist()


def test_a_pipe_is_answered_sentence_by_sentence() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb", buffering=0) as pipe:
        blocks = stream_sequences(source, format="conll")
        pipe.write(b"a\tO\nb\tO\n\nc\t")
        assert next(blocks).sentences() == [["a", "b"]]
        threading.Timer(0.05, lambda: (pipe.write(b"O\n"), pipe.close())).start()
        last = next(blocks)
        assert (last.sentences(), last.lines.tolist()) == ([["c"]], [4])


def test_sentences_can_be_taken_in_any_order() -> None:
    found = read_sentences(CHUNKED)
    taken = found.take([1, 0, 1])
    assert taken.sentences() == [["Who"], ["He", "ran"], ["Who"]]
    assert taken.lines.tolist() == [4, 1, 4]
    assert found.take(slice(0, 0)).sentences() == []


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (CHUNKED + b"No DT O\n\nOh UH O\n", "a.txt", "conll"),
        (CONLLU, "a.txt", "conllu"),
        (b"a/b c/d e/f\ng/h i/j k/l\nm/n o/p q/r\n", "a.txt", "word_tag"),
        (b"O\tw=a\tp=b\nO\tw=b\n\nO\tw=c\tp=d\nB-X\tw=d\tp=e\tBOS=1\n", "a.txt", "crfsuite"),
        (b'{"text": "a", "spans": []}\n', "a.jsonl", "spans"),
        (b"a O\n", "a.conll", "conll"),
        (b"text,label\na b,x\n", "a.csv", None),
        (b"pos\ta b\nneg\tc d\n", "a.tsv", None),
        (b"+1 1:2 3:4\n-1 2:1\n", "a", None),
        (b'{"text": "a", "label": "b"}\n', "a.jsonl", None),
        (b"one sentence\nand another\n", "a.txt", None),
        (b"PAR1\x15\x04", "a.parquet", None),
    ],
)
def test_a_caller_can_ask_which_sequence_format_a_file_has(
    data: bytes, name: str, format: str | None
) -> None:
    found = sniff_sequences(data, name)
    assert (None if found is None else found.format) == format


def test_what_is_no_other_format_is_read_as_text_or_columns() -> None:
    assert read_sentences("one sentence\nand another\n").sentences() == [
        ["one", "sentence"],
        ["and", "another"],
    ]
    assert read_sentences("He\tPRP\nran\tVBD\n").tags == [["PRP", "VBD"]]
    assert read_sentences('{"text": "a b"}\n').tags is None


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "empty"), (b"\n\n", "no"), (b"a\xff b\n", "not utf-8"), (b"PAR1aaaa", "Parquet")],
)
def test_what_cannot_be_read_is_an_error_with_a_remedy(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_sentences(data, format="conll")


def test_wrong_options_are_refused() -> None:
    for options in (
        {"format": "csv"},
        {"tokens": "words"},
        {"cut": "never"},
        {"comments": ""},
        {"delimiter": "::"},
        {"format": "conll", "delimiter": ","},
        {"errors": "ignore"},
        {"encoding": "rot13"},
    ):
        with pytest.raises(ParameterError):
            read_sentences(CHUNKED, **options)
    with pytest.raises(ParameterError, match="block_bytes"):
        next(stream_sequences(io.BytesIO(CHUNKED), block_bytes=0))


@settings(max_examples=150)
@given(
    st.binary(max_size=60),
    st.sampled_from(["conll", "conllu", "crfsuite", "spans", "text", "word_tag"]),
)
def test_any_bytes_are_read_or_refused_never_crashed_on(data: bytes, format: str) -> None:
    for errors in ("strict", "replace"):
        try:
            found = read_sentences(data, format=format, errors=errors)
        except FormatError:
            continue
        assert found.offset[-1] == found.n_tokens
        assert (np.diff(found.offset) >= 0).all()


def test_reading_sequences_loads_no_heavy_package() -> None:
    code = (
        "import io, sys; from linnet.data import read_sequences; "
        "read_sequences(io.BytesIO(b'a b\\n')); "
        "print(*{'scipy', 'sklearn', 'pyarrow', 'pandas', 'rich'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == ""
