"""Long work shows on a terminal how far it is; Ctrl-C with --keep keeps what was learned."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.cli import predict
from linnet.cli.shared import watching
from linnet.cli.shared.console import file_size, write_atomically

Run = Callable[..., Any]
pty = pytest.importorskip("pty")
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
LONG = ("--learner", "perceptron", "--set", "max_iter=100000000")


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Return sentences that no perceptron is done with: equal words have two tags."""
    path = tmp_path / "data.conll"
    path.write_text("".join(f"word{k // 2 % 9}\tN\t{'AB'[k % 2]}\n\n" for k in range(90)))
    return path


def on_a_terminal(start_process: Run, *arguments: object) -> tuple[Any, int]:
    leader, follower = pty.openpty()
    process = start_process(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    return process, leader


def read_until(leader: int, mark: bytes | None) -> bytes:
    """Read what a terminal shows until a mark, or to the end."""
    shown = b""
    while mark is None or mark not in shown:
        try:
            chunk = os.read(leader, 1 << 16)
        except OSError:  # how Linux says that nobody holds the other end any more
            break
        if not chunk:
            break
        shown += chunk
    return shown


def test_a_fit_shows_its_iterations_and_ctrl_c_keeps_them(
    start_process: Run, endless: Path, tmp_path: Path
) -> None:
    out = tmp_path / "kept.linnet"
    command = ("train", endless, "-o", out, "--keep", *LONG)
    process, leader = on_a_terminal(start_process, *command)
    assert "/≤100,000,000 · mistakes" in read_until(leader, b"mistakes ").decode()
    process.send_signal(signal.SIGINT)
    rest = read_until(leader, None).decode()
    assert process.wait(timeout=60) == 0
    assert "interrupted: kept what was learned up to fit" in rest
    assert "written to" in rest
    assert len(linnet.load(out).predict([[("word1", "N")]])) == 1


def test_without_keep_ctrl_c_leaves_nothing(
    start_process: Run, endless: Path, tmp_path: Path
) -> None:
    process, leader = on_a_terminal(
        start_process, "train", endless, "-o", tmp_path / "m.linnet", *LONG
    )
    read_until(leader, b"mistakes")
    process.send_signal(signal.SIGINT)
    assert "linnet: interrupted" in read_until(leader, None).decode()
    assert process.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == [endless]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """Return what the live line is told: words, and how much was done since."""
    told: list[tuple[str, float]] = []

    @contextmanager
    def recorded(total: float | None, quiet: bool, **_: Any) -> Iterator[Any]:
        told.append(("of", total or 0))
        yield lambda words, advance: told.append((words, advance))

    monkeypatch.setattr(watching, "progress", recorded)
    monkeypatch.setattr(watching, "_PAUSE", 0.0)
    monkeypatch.setattr(predict, "_LONG", 1)
    return told


def is_whole(line: list[tuple[str, float]], files: list[Path]) -> bool:
    """Tell whether a line began at nothing, never went back and came to the end of all files."""
    (_, total), *steps = line
    advances = [advance for _, advance in steps]
    return total == sum(advances) == sum(map(file_size, files)) and min(advances) >= 0


@pytest.mark.parametrize("suffix", ["tsv", "tsv.gz", "parquet"])
@pytest.mark.parametrize("verb", ["predict", "filter", "convert"])
def test_files_show_the_share_of_them_that_is_read(
    verb: str, suffix: str, linnet_command: Run, reviews_file: Path, model: str, tmp_path: Path,
    line: list[tuple[str, float]],
) -> None:  # fmt: skip
    data, out = tmp_path / f"data.{suffix}", tmp_path / "out"
    assert linnet_command("convert", reviews_file, data).exit_code == 0
    line.clear()
    command = {
        "predict": ("predict", model, data, "-o", out),
        "filter": ("filter", model, data, "-o", out, "--keep", "pos"),
        "convert": ("convert", data, tmp_path / "out.jsonl"),
    }[verb]
    done = linnet_command(*command)
    assert done.exit_code == 0, done.output
    assert is_whole(line, [data])
    if verb != "predict":
        what = {"filter": "rows", "convert": "examples"}[verb]
        assert re.fullmatch(rf"60 {what} · [\d,]+/s", line[-1][0])


def test_several_files_are_one_line(
    linnet_command: Run, reviews_file: Path, model: str, tmp_path: Path,
    line: list[tuple[str, float]],
) -> None:  # fmt: skip
    files = [tmp_path / f"{name}.tsv" for name in "ab"]
    for file in files:
        file.write_bytes(reviews_file.read_bytes())
    done = linnet_command("predict", model, *files, "-o", f"{tmp_path}/out/")
    assert done.exit_code == 0, done.output
    assert is_whole(line, files)


def test_rows_show_the_share_that_is_answered(
    linnet_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    line: list[tuple[str, float]],
) -> None:  # fmt: skip
    monkeypatch.setattr("linnet.cli.kinds.rows._BLOCK", 10)
    data, out = tmp_path / "rows.csv", tmp_path / "rows.linnet"
    data.write_text("colour,size,label\n" + "red,1.5,a\nblue,2.0,b\n" * 20)
    assert linnet_command("train", data, "-o", out).exit_code == 0
    line.clear()
    assert linnet_command("predict", out, data, "-o", tmp_path / "answers.tsv").exit_code == 0
    shares = [advance / file_size(data) for _, advance in line[1:]]
    assert is_whole(line, [data])
    assert sum(0 < share < 0.5 for share in shares) == 4


@pytest.mark.parametrize("kind", ["texts", "rows", "sentences"])
def test_evaluate_shows_the_share_that_is_answered(
    kind: str, linnet_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    line: list[tuple[str, float]],
) -> None:  # fmt: skip
    suffix = "conll" if kind == "sentences" else "csv"
    data, out = tmp_path / f"data.{suffix}", tmp_path / "m.linnet"
    data.write_text({
        "texts": "text,label\n" + "a fine film,pos\na dull plot,neg\n" * 20,
        "rows": "colour,size,label\n" + "red,1.5,a\nblue,2.0,b\n" * 20,
        "sentences": "the\tD\ndog\tN\n\nruns\tV\n\n" * 20,
    }[kind])  # fmt: skip
    assert linnet_command("train", data, "-o", out).exit_code == 0
    whole = linnet_command("evaluate", out, data, "--json").stdout
    monkeypatch.setattr("linnet.cli.kinds.kind._BLOCK", 15)
    line.clear()
    assert linnet_command("evaluate", out, data, "--json").stdout == whole
    assert line[0] == ("of", 40)
    words = [words for words, _ in line[1:]]
    assert [int(said.partition(" ")[0]) for said in words] == [0, 15, 30, 40, 40]
    assert re.fullmatch(r"40 of 40 (examples|sentences) · [\d,]+/s", words[-1])
    assert sum(advance for _, advance in line[1:]) == 40


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "conll", "conll.gz"])
@pytest.mark.parametrize("verb", ["train", "evaluate", "compare"])
def test_a_file_that_is_read_as_a_whole_shows_its_share(
    verb: str, suffix: str, linnet_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = suffix.partition(".")[0]
    data, out = tmp_path / f"d.{suffix}", tmp_path / "m.linnet"
    noise = os.urandom(150_000).hex()  # what cannot be packed: several pieces of every file
    words = [noise[k : k + 20] for k in range(0, len(noise), 20)]
    if kind == "csv":
        lines = [
            f"{' '.join(words[k : k + 100])},{'ab'[k // 100 % 2]}" for k in range(0, 15000, 100)
        ]
        text = "text,label\n" + "\n".join(lines) + "\n"
    else:
        text = "".join(f"{word}\t{word[0]}\n\n" for word in words)
    with write_atomically(data) as file:  # packed where the name says so
        file.write(text)
    learner = "nb" if kind == "csv" else "hmm"
    assert linnet_command("train", data, "-o", out, "--learner", learner).exit_code == 0
    told: list[str] = []

    @contextmanager
    def recorded(total: float | None, quiet: bool, **_: Any) -> Iterator[Any]:
        yield lambda words, advance: told.append(words)

    monkeypatch.setattr(f"linnet.cli.{verb}.progress", recorded)
    monkeypatch.setattr(watching, "_PAUSE", 0.0)
    command = {
        "train": ("train", data, "-o", out, "--learner", learner),
        "evaluate": ("evaluate", out, data),
        "compare": ("compare", data, "--learners", learner),
    }[verb]
    assert linnet_command(*command).exit_code == 0
    shares = [int(words.split()[-2]) for words in told if re.fullmatch(r"read .* · \d+ %", words)]
    assert len(shares) >= 2 * suffix.endswith(".gz"), "a plain file is read at once"
    assert shares == sorted(shares) and all(0 <= share <= 100 for share in shares)
    assert any(words.endswith(" kB, take it apart") for words in told)


def test_ctrl_c_says_which_column_it_cut_short(
    linnet_command: Run, endless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def pressed_at_once(asked: watching.Interruptible) -> Iterator[None]:
        asked.pressed = True
        yield

    monkeypatch.setattr(watching.Interruptible, "listening", pressed_at_once)
    out = tmp_path / "kept.linnet"
    done = linnet_command("train", endless, "-o", out, "--keep", *LONG)
    assert done.exit_code == 0, done.output
    kept = [line for line in done.stderr.splitlines() if line.startswith("interrupted")]
    begun = "interrupted: kept what was learned up to"
    assert not any("left" in line for line in kept)  # of a fit that has ended
    assert kept[0].startswith(f"{begun} fit 1/≤100,000,000 · mistakes ")
    assert kept[1].startswith(f"{begun} supply column 2, round 1/≤5 · mistakes ")
    assert len(kept) == 2
    assert "# It was interrupted: fit 1." in linnet_command("inspect", out, "--recipe").stdout


def test_compare_shows_its_rate(
    linnet_command: Run, reviews_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    @contextmanager
    def recorded(total: float | None, quiet: bool, **_: Any) -> Iterator[Any]:
        yield lambda words, advance: told.append(words)

    monkeypatch.setattr("linnet.cli.compare.progress", recorded)
    assert linnet_command("compare", reviews_file, "--learners", "nb,perceptron").exit_code == 0
    assert re.fullmatch(r"Perceptron · [\d.,]+ %/(s|min)", told[-2])


def test_ctrl_c_keeps_what_a_stream_has_learned(
    linnet_command: Run, reviews_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def pressed_at_once(asked: watching.Interruptible) -> Iterator[None]:
        asked.pressed = True
        yield

    monkeypatch.setattr(watching.Interruptible, "listening", pressed_at_once)
    out = tmp_path / "kept.linnet"
    done = linnet_command("train", reviews_file, "--stream", "--passes", 9, "--keep", "-o", out)
    assert done.exit_code == 0, done.output
    assert "interrupted: kept what was learned up to 60 examples" in done.stderr
    assert linnet.load(out).record_["examples"] == 60  # of one pass
    assert "# It was interrupted: 60 examples." in linnet_command("inspect", out, "--recipe").stdout
