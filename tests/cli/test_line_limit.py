"""``--max-line``: every verb that reads lines refuses one that is too long."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.data.files import write_bytes_atomically

Run = Callable[..., Any]
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"

COMMANDS: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "-o", "OUT/m.linnet"),
    "compare": ("compare", "DATA", "--learners", "nb"),
    "evaluate": ("evaluate", "MODEL", "DATA"),
    "predict": ("predict", "MODEL", "DATA"),
    "filter": ("filter", "MODEL", "DATA", "-o", "OUT/kept", "--keep", "pos"),
    "convert": ("convert", "DATA", "OUT/a.jsonl"),
    "data show": ("data", "show", "DATA"),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.tsv"
    rows = ["pos\ta lovely film\n", "neg\ta dull film\n"] * 20
    path.write_text("".join([*rows, f"pos\t{'lovely ' * 500}\n", *rows]))
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_long_line_is_refused_and_read_with_a_higher_limit(
    linnet_command: Run, model: str, data: Path, tmp_path: Path, name: str
) -> None:
    words = {"DATA": str(data), "MODEL": model}
    arguments = [words.get(w, w.replace("OUT", str(tmp_path))) for w in COMMANDS[name]]
    refused = linnet_command(*arguments, "--max-line", "2k")
    assert refused.exit_code == 1, refused.output
    assert f"{data}:41: a line of more than 2,000 bytes" in refused.stderr
    assert "--max-line" in refused.stderr
    done = linnet_command(*arguments, "--max-line", "4kB")
    assert done.exit_code == 0, done.output


def test_a_long_text_to_explain_is_refused(linnet_command: Run, model: str) -> None:
    found = linnet_command("explain", model, "-", "--max-line", "100", stdin="lovely " * 50)
    assert found.exit_code == 1
    assert "a text of more than 100 bytes" in found.stderr


def test_a_limit_that_is_no_size_is_refused(linnet_command: Run, model: str, data: Path) -> None:
    found = linnet_command("predict", model, data, "--max-line", "long")
    assert found.exit_code == 1
    assert "a size must be a number" in found.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
def test_an_archive_of_one_endless_line_takes_little_memory(model: str, tmp_path: Path) -> None:
    bomb = tmp_path / "zeros.txt.gz"
    with write_bytes_atomically(bomb) as out:
        for _ in range(500):
            out.write(bytes(1_000_000))
    before = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (400_000_000,) * 2)"
    found = subprocess.run(
        [sys.executable, "-c", f"{before}\n{COMMAND}", "predict", model, str(bomb)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 1
    assert "zeros.txt.gz:1: a line of more than 64,000,000 bytes" in found.stderr
