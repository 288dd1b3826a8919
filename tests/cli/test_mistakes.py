"""What the command says to those who mistype, mistake and forget: a transcript, read as a whole.

``mistakes.txt`` holds every command with its exit code and what it says. Where a message changes
on purpose, write it anew with ``python -m tests.cli.test_mistakes`` and read the difference.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app

GOLDEN = Path(__file__).with_name("mistakes.txt")
COMMANDS = """
# verbs and options
linnet trian reviews.tsv
linnet help
linnet -v
linnet train
linnet train reviews.tsv --leaner svm
linnet predict
linnet train reviews.tsv --prune auto
linnet train reviews.tsv table.csv
linnet train reviews.tsv table.csv --cluster local:2
linnet data list pydoc
linnet train reviews.tsv --ngrams one,two
linnet train reviews.tsv -C -1
linnet train reviews.tsv --set k
linnet train reviews.tsv --set tree=1
linnet train reviews.tsv --dtype float8
linnet train reviews.tsv --holdout 2
linnet train reviews.tsv --seed x
linnet train reviews.tsv --threads 0
linnet train reviews.tsv --min-df 1000
linnet train reviews.tsv --class-weight balance
linnet train reviews.tsv --features char_bw:2-5
linnet train reviews.tsv --learner memory --set k=1000000
linnet train reviews.tsv --set loss=hing
linnet train reviews.tsv --memory 1GB
linnet train reviews.tsv --cluster nowhere
linnet train --config misspelt.toml
linnet train --config none.toml
linnet train tags.conll --ngrams 1,2
linnet train tags.conll --features shapes
linnet compare reviews.tsv --folds 1000
linnet train reviews.tsv --valid reviews.tsv --holdout 0.1
linnet predict reviews.linnet --string "a film" reviews.tsv
linnet predict reviews.linnet reviews.tsv --json --format csv
linnet predict reviews.linnet reviews.tsv --nbest 3
linnet predict reviews.linnet reviews.tsv --format xml
linnet predict reviews.linnet reviews.tsv --from xml
linnet train reviews.tsv --format conl
linnet convert reviews.tsv reviews.jsonl --to xml
linnet explain tagger.linnet "He ran" --label B-PER
# learners
linnet train reviews.tsv --learner swm
linnet train reviews.tsv --learner crf
linnet train tags.conll --learner maxent
linnet train reviews.tsv --learner no.such:Thing
linnet compare reviews.tsv --learners nb,hmm
linnet compare reviews.tsv --learners nb,maxnet
# files
linnet train reveiws.tsv
linnet predict reviws.linnet reviews.tsv
linnet train /dev/nul/reviews.tsv
linnet train xyz.tsv
linnet convert reviews.tsv -
linnet data make new.tsv --from irsi
linnet train empty.tsv
linnet train .
linnet train one_label.tsv
linnet train unlabelled.txt
linnet train latin.tsv
linnet train utf16.tsv
linnet train latin.tsv --encoding klingon
linnet train picture.tsv
linnet train binary.tsv
linnet train page.pdf
linnet train sheet.xlsx
linnet train header.csv
linnet train no_label.csv
linnet train array.json
linnet train broken.jsonl
linnet train broken.parquet
linnet train 'part-*.tsv' --stream
linnet predict cut.linnet reviews.tsv
linnet predict newer.linnet reviews.tsv
linnet train broken.tsv.gz
linnet evaluate reviews.linnet unlabelled.txt
linnet data show reviws.tsv
# arguments in the wrong place
linnet train reviews.linnet
linnet predict reviews.tsv reviews.linnet
linnet predict reviews.linnet reviews.linnet
linnet evaluate reviews.tsv reviews.linnet
linnet explain reviews.tsv reviews.linnet
linnet filter reviews.tsv reviews.linnet --keep pos -o kept/
linnet predict reviews.tsv
linnet predict reviews.linnet "a lovely film"
linnet inspect reviews.tsv
linnet inspect reviews.linnet reviews.tsv
linnet lab reviews.tsv
linnet convert reviews.tsv
linnet train reviews.tsv --valid reviews.linnet
linnet explain reviews.linnet
linnet evaluate reviews.linnet tags.conll
linnet predict reviews.linnet tags.conll
linnet filter tagger.linnet reviews.tsv -o kept --keep pos
# columns and labels
linnet train reviews.tsv --label stars
linnet train table.csv --text body
linnet train table.csv --text label --label label
linnet train table.csv --column text
linnet train table.csv --column text=syllables
linnet train table.csv --column body=words
linnet train table.csv --column text=number
linnet train table.csv --column text=words --text text
linnet train unlabelled.txt --column text=words
linnet predict columns.linnet table.csv
linnet predict columns.linnet --string "a film"
linnet explain columns.linnet '{"text": "a film"}'
linnet explain reviews.linnet "a film" --label positive
linnet filter reviews.linnet reviews.tsv -o kept --keep positive
linnet filter reviews.linnet reviews.tsv -o kept --keep "pos>=9"
linnet evaluate reviews.linnet reviews.tsv --cell pos
linnet evaluate reviews.linnet reviews.tsv --groups source
# outputs
linnet train reviews.tsv -o no/such/folder/m.linnet
linnet train reviews.tsv -o reviews.tsv
linnet predict reviews.linnet reviews.tsv -o table.csv
linnet convert reviews.tsv reviews.docx
linnet convert reviews.linnet reviews.csv
linnet filter reviews.linnet reviews.tsv -o reviews.tsv --keep pos
linnet filter reviews.linnet reviews.tsv -o kept
linnet data make reviews.docx --from iris
linnet data make reviews.docx --documents 3
linnet data make out.tsv
linnet data show pydok
"""


def write_files() -> None:
    """Put the files of the commands into the current folder."""
    rows = [("pos", f"a lovely film {k}") for k in range(20)]
    rows += [("neg", f"a dull film {k}") for k in range(20)]
    lines = "".join(f"{label}\t{text}\n" for label, text in rows)
    Path("reviews.tsv").write_text(lines)
    Path("one_label.tsv").write_text("pos\ta lovely film\npos\ta film\n")
    Path("empty.tsv").write_text("")
    Path("unlabelled.txt").write_text("a lovely film\na dull film\n")
    Path("latin.tsv").write_bytes("pos\tun café\nneg\tun thé\n".encode("latin-1"))
    Path("broken.tsv.gz").write_bytes(b"\x1f\x8b\x08\x00 this is no archive")
    Path("utf16.tsv").write_text("pos\ta film\nneg\tdull\n", encoding="utf-16")
    Path("picture.tsv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    Path("binary.tsv").write_bytes(bytes(range(256)) * 4)
    Path("page.pdf").write_bytes(b"%PDF-1.4\n" + bytes(range(128, 256)))
    Path("sheet.xlsx").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    Path("header.csv").write_text("label,text\n")
    Path("no_label.csv").write_text("label,text\npos,a lovely film\n,a dull film\n")
    Path("array.json").write_text('[{"label": "pos", "text": "a"}, {"label": "neg", "text": "b"}]')
    Path("broken.jsonl").write_text('{"label": "pos", "text": "a"}\n{"label": "neg", "text": \n')
    Path("broken.parquet").write_text("pos\ta lovely film\n")
    Path("misspelt.toml").write_text("data = 'reviews.tsv'\nlearnr = 'svm'\n")
    Path("table.csv").write_text("label,text\npos,a lovely film\nneg,a dull film\n")
    Path("tags.conll").write_text("He\tPRP\tO\nran\tVBD\tO\n\nRome\tNNP\tB-LOC\n\n")
    labels, texts = map(list, zip(*rows, strict=True))
    linnet.TextClassifier(C=1.0).fit(texts, labels).save("reviews.linnet")
    model = Path("reviews.linnet").read_bytes()
    Path("cut.linnet").write_bytes(model[: len(model) // 2])
    newer = model.replace(b'"linnet_format":"2"', b'"linnet_format":"9"')
    Path("newer.linnet").write_bytes(newer)
    columns = {"text": "words", "price": "number"}
    items = [{"text": text, "price": k} for k, text in enumerate(texts)]
    linnet.TextClassifier(columns=columns, C=1.0).fit(items, labels).save("columns.linnet")
    words, tags = [["He", "ran"], ["Rome"]] * 4, [["O", "O"], ["B-LOC"]] * 4
    linnet.SequenceTagger(linnet.CRF()).fit(words, tags).save("tagger.linnet")


def transcript() -> Iterator[str]:
    """Yield every command with what it says."""
    for line in COMMANDS.strip().splitlines():
        if line.startswith("#"):
            yield f"{line}\n"
            continue
        said = CliRunner().invoke(app, shlex.split(line)[1:], prog_name="linnet")
        shown = "".join(f"    {part}".rstrip() + "\n" for part in said.output.splitlines())
        yield f"$ {line}\n{shown}    [{said.exit_code}]\n"


def whole(folder: Path) -> str:
    os.environ.update(COLUMNS="100", TERM="dumb", NO_COLOR="1")
    with chdir(folder):
        write_files()
        return "\n".join(transcript())


def test_mistakes_are_answered_as_in_the_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COLUMNS", "TERM", "NO_COLOR"):
        monkeypatch.setenv(name, "")  # given back at the end
    assert whole(tmp_path) == GOLDEN.read_text(encoding="utf-8")


def test_labels_that_the_model_does_not_know_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files()
    said = CliRunner().invoke(app, ["evaluate", "tagger.linnet", "reviews.tsv"])
    assert said.exit_code == 0
    assert "none of its labels is one of the model's" in said.stderr


def test_no_mistake_ends_in_a_traceback_or_without_a_word() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert "Traceback" not in text and "[0]" not in text
    assert text.count("$ linnet") == COMMANDS.count("\nlinnet") >= 45


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        GOLDEN.write_text(whole(Path(folder)), encoding="utf-8")
    print(f"written to {GOLDEN}", file=sys.stderr)
