"""Training twice on the command line writes the same file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROWS = "colour,size,label\n" + "red,1.5,a\nblue,2.0,b\nred,3.0,a\ngreen,0.5,b\n" * 8
SENTENCES = "The D\ndog N\nran V\n\nA D\ncat N\nsat V\n\n" * 6
CASES = {
    "texts": ("reviews.tsv", None, ("--seed", "3")),
    "texts by a perceptron": ("reviews.tsv", None, ("--seed", "3", "--learner", "perceptron")),
    "texts held out": ("reviews.tsv", None, ("--seed", "3", "--holdout", "0.2")),
    "rows": ("rows.csv", ROWS, ("--learner", "memory")),
    "rows by a kernel": ("rows.csv", ROWS, ("--learner", "kernel")),
    "sentences": ("words.conll", SENTENCES, ("--seed", "3")),
    "sentences by an HMM": ("words.conll", SENTENCES, ("--learner", "hmm")),
}


@pytest.mark.parametrize("name", CASES)
def test_training_twice_with_the_same_seed_writes_the_same_bytes(
    name: str, linnet_command: Callable[..., Any], reviews_file: Path, tmp_path: Path
) -> None:
    file, content, options = CASES[name]
    data = tmp_path / file
    data.write_text(content or reviews_file.read_text(encoding="utf-8"), encoding="utf-8")
    models = [tmp_path / f"{number}.linnet" for number in (1, 2)]
    for model in models:
        result = linnet_command("train", data, "-o", model, *options)
        assert result.exit_code == 0, result.output
    assert models[0].read_bytes() == models[1].read_bytes()
