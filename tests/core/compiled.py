"""Small programs over the sources of the core, compiled by the machine's own compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "cpp"
Floats = NDArray[np.float64]


def compiler() -> str:
    """Return a compiler that takes the options of GCC; skip the test where there is none."""
    for name in (os.environ.get("CXX", "c++"), "g++", "clang++"):
        if path := shutil.which(name):
            return path
    pytest.skip("no C++ compiler that takes the options of GCC")


def build(target: Path, core: Path, sources: Iterable[Path]) -> Path:
    """Compile the sources against a folder `core` into the program `target`."""
    common = [compiler(), "-std=c++20", "-O0", "-DLINNET_SANITIZE", f"-I{core}"]
    objects, running = [], []
    for number, source in enumerate(sources):
        made = target.with_suffix(f".{number}.o")
        objects.append(str(made))
        running.append(subprocess.Popen([*common, "-c", str(source), "-o", str(made)]))
        if len(running) == 2:
            assert running.pop(0).wait() == 0
    assert all(process.wait() == 0 for process in running)
    subprocess.run([*common, *objects, "-pthread", "-o", str(target)], check=True)
    return target


class Losses:
    """The losses of a core, asked by their names (cpp/losses.cpp)."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def _answers(self, questions: Sequence[str]) -> list[str]:
        text = "".join(f"{question}\n" for question in questions)
        done = subprocess.run(
            [str(self.program)], input=text, capture_output=True, text=True, check=True
        )
        lines = done.stdout.splitlines()
        assert len(lines) == len(questions), done.stderr
        return lines

    def names(self, kind: str) -> list[str]:
        return self._answers([kind])[0].split(", ")

    def parts(self, kind: str, name: str) -> list[str]:
        return self._answers([f"{kind} {name}"])[0].split()

    def margin(self, name: str, part: str, *arguments: object) -> Floats:
        """Return a part of a margin loss, elementwise over broadcast arguments."""
        arrays = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in arguments))
        rows = np.stack([array.ravel() for array in arrays], axis=1)
        asked = [f"margin {name} {part} {' '.join(map(repr, row))}" for row in rows.tolist()]
        answers = [float(line) for line in self._answers(asked)]
        return np.array(answers).reshape(arrays[0].shape)

    def joint(self, name: str, part: str, gold: int, rows: Floats, classes: int) -> Floats:
        """Return a part of a joint loss for each row of numbers."""
        asked = [
            f"joint {name} {part} {classes} {gold} {' '.join(map(repr, row))}"
            for row in rows.tolist()
        ]
        return np.array([[float(word) for word in line.split()] for line in self._answers(asked)])
