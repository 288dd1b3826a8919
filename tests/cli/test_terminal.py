"""On a terminal no label, word or name sends control sequences; in a pipe they stay data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data import write_atomically
from linnet.data.terminal import escaped

Run = Callable[..., Any]
pty = pytest.importorskip("pty")
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
EVIL = "\x1b]0;evil\x07"  # sets the title of a window
SEEN = b"\\x1b]0;evil\\x07"
WORD = f"word{EVIL}\x9b31m"


@pytest.fixture
def on_a_terminal(start_process: Run) -> Callable[..., bytes]:
    """Return a function that runs a command and returns all that it shows on a terminal."""

    def run(*arguments: object, columns: int = 200) -> bytes:
        leader, follower = pty.openpty()
        process = start_process(
            [sys.executable, "-c", COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=follower,
            env={**os.environ, "COLUMNS": str(columns)},
        )
        os.close(follower)
        shown = bytearray()
        while chunk := _read(leader):
            shown += chunk
        process.wait(timeout=60)
        os.close(leader)
        return bytes(shown)

    return run


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 1 << 16)
    except OSError:  # how Linux says that nobody holds the other end any more
        return b""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of models and data whose labels, words and columns hold sequences."""
    path = tmp_path_factory.mktemp("evil")
    texts, labels = [f"good {WORD}", "bad film"] * 10, [f"pos{EVIL}", "neg"] * 10
    linnet.TextClassifier(C=1.0).fit(texts, labels).save(path / "text.linnet")
    sentences, tags = [["the", WORD], ["a", "dog"]] * 5, [["D", f"N{EVIL}"], ["D", "V"]] * 5
    linnet.SequenceTagger().fit(sentences, tags).save(path / "tags.linnet")
    rows, classes = [[f"a{EVIL}", "1"], ["b", "2"]] * 8, [f"x{EVIL}", "y"] * 8
    table = linnet.data.RowTable([f"c{EVIL}", "d"], [list(c) for c in zip(*rows, strict=True)])
    linnet.RowClassifier().fit(table, classes).save(path / "rows.linnet")
    pairs = zip(labels, texts, strict=True)
    (path / "data.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in pairs))
    (path / "head.csv").write_text(
        f"label,text{EVIL},more\n" + f"pos{EVIL},good film {WORD} it is,u\nneg,a bad one,v\n" * 8
    )
    (path / "in.txt").write_text(f"good {WORD}\nbad film\n")
    tagged = "".join(f"{w}\t{t}\n" for s, ts in zip(sentences, tags, strict=True)
                     for w, t in [*zip(s, ts, strict=True), ("", "")])  # fmt: skip
    (path / "tags.conll").write_text(tagged.replace("\t\n", "\n"))
    (path / "rows.data").write_text(f"a{EVIL},1,x{EVIL}\nb,2,y\n" * 8)
    (path / f"name{EVIL}.txt").write_text("good film\n")
    return path


LOOK = ("--mistakes", "3", "--suspects", "--confusion", "--groups", "length")
COMMANDS = {
    "predict": ("predict", "text.linnet", "in.txt"),
    "predict --top": ("predict", "text.linnet", "in.txt", "--top", "2"),
    "predict --proba": ("predict", "text.linnet", "in.txt", "--proba"),
    "predict --json": ("predict", "text.linnet", "in.txt", "--json"),
    "predict tags": ("predict", "tags.linnet", "in.txt"),
    "predict tags --nbest": ("predict", "tags.linnet", "in.txt", "--nbest", "2"),
    "evaluate": ("evaluate", "text.linnet", "data.tsv", *LOOK),
    "evaluate tags": ("evaluate", "tags.linnet", "tags.conll", *LOOK),
    "explain": ("explain", "text.linnet", f"good {WORD}"),
    "explain tags": ("explain", "tags.linnet", f"the {WORD}"),
    "explain rows": ("explain", "rows.linnet", f"a{EVIL},1"),
    "inspect": ("inspect", "text.linnet"),
    "inspect tags": ("inspect", "tags.linnet"),
    "inspect rows": ("inspect", "rows.linnet"),
    "train": ("train", "data.tsv", "-o", f"trained{EVIL}.linnet"),
    "train on a table": ("train", "head.csv", "-o", "t.linnet", "--text", f"text{EVIL}"),
    "compare": ("compare", "data.tsv", "--learners", "nb"),
    "convert": ("convert", "data.tsv", "-", "--to", "tsv"),
    "data show": ("data", "show", "head.csv"),
    "data show rows": ("data", "show", "rows.data"),
    "filter": ("filter", "text.linnet", "data.tsv", "-o", "kept", "--keep", "neg"),
    "an error": ("predict", "text.linnet", f"name{EVIL}.txt", f"no{EVIL}.txt"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_in_the_data_steers_a_terminal(
    on_a_terminal: Run, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    shown = on_a_terminal(*COMMANDS[name])
    assert b"Traceback" not in shown
    assert b"\x1b]0;" not in shown, shown
    assert b"\x07" not in shown
    assert "\x9b".encode() not in shown


@pytest.mark.parametrize(
    "name",
    ["predict", "predict --top", "predict tags", "evaluate", "explain", "inspect", "an error"],
)
def test_control_characters_are_spelled_out_on_a_terminal(
    on_a_terminal: Run, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert SEEN in on_a_terminal(*COMMANDS[name])


def test_in_a_pipe_every_byte_stays(linnet_process: Run, folder: Path) -> None:
    found = linnet_process("predict", folder / "text.linnet", folder / "in.txt")
    assert found.stdout.startswith(f"pos{EVIL}\t")


def test_tabs_and_line_feeds_are_no_control_characters_here(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert escaped("a\tb\nc\x00\x7f\x9f") == "a\tb\nc\\x00\\x7f\\x9f"
    with write_atomically("-") as out:
        out.write("a\x1b\n")
    assert capsys.readouterr().out == "a\x1b\n"


def test_lines_end_between_words_on_a_terminal_and_nowhere_in_a_pipe(
    on_a_terminal: Callable[..., bytes], linnet_command: Run, folder: Path
) -> None:
    mistake = ("train", folder / "data.tsv", "--set", "tree=1")
    whole = linnet_command(*mistake).stderr.splitlines()[-1]
    lines = on_a_terminal(*mistake, columns=50).decode().splitlines()
    lines = lines[next(k for k, line in enumerate(lines) if line.startswith("linnet: error")) :]
    assert len(lines) > 2 and all(len(line) <= 50 for line in lines)
    assert " ".join(lines) == whole
