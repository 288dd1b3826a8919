"""Blocks of features on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model.made import texts_of

Run = Callable[..., Any]
TEXTS, LABELS = texts_of(240)


def test_the_verbs_take_a_model_with_blocks(linnet_command: Run, tmp_path: Path) -> None:
    data, model, out = tmp_path / "d.tsv", tmp_path / "m.linnet", tmp_path / "kept"
    data.write_text("".join(f"{y}\t{x}\n" for x, y in zip(TEXTS, LABELS, strict=True)))
    blocks = ("--features", "words:1-2,char_wb:2-4")
    trained = linnet_command("train", data, *blocks, "-o", model, "--json")
    assert trained.exit_code == 0, trained.output
    assert json.loads(trained.stdout)["record"]["n_features"] > 100
    assert "n-grams of 2 to 4 characters" in linnet_command("inspect", model).stdout
    assert "accuracy" in linnet_command("evaluate", model, data).stdout
    explained = linnet_command("explain", model, "a goal", "--json")
    assert "char_wb:goa" in explained.stdout and "words:goal" in explained.stdout
    (tmp_path / "t.txt").write_text("\n".join(TEXTS) + "\n")
    kept = linnet_command("filter", model, tmp_path / "t.txt", "--keep", "sport>=0.5", "-o", out)
    assert kept.exit_code == 0, kept.output
    assert 0 < len((out / "t.txt").read_text().splitlines()) < len(TEXTS)


def test_a_misspelt_block_is_told(linnet_command: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.tsv"
    data.write_text("".join(f"{y}\t{x}\n" for x, y in zip(TEXTS, LABELS, strict=True)))
    refused = linnet_command("train", data, "--features", "syllables", "-o", tmp_path / "m.linnet")
    assert refused.exit_code != 0
    assert "looks like 'words:1-2'" in refused.output


def test_training_says_how_many_weights_are_kept(linnet_command: Run, tmp_path: Path) -> None:
    data, model = tmp_path / "d.tsv", tmp_path / "m.linnet"
    data.write_text("".join(f"{y}\t{x}\n" for x, y in zip(TEXTS, LABELS, strict=True)))
    whole = linnet_command("train", data, "--features", "words", "-o", model)
    assert "weights kept" not in whole.stdout
    pruned = linnet_command("train", data, "--features", "words", "--prune", "-o", model, "--force")
    assert pruned.exit_code == 0, pruned.output
    record = json.loads(linnet_command("inspect", model, "--json").stdout)["record"]
    assert f"weights kept: {record['weights']}, all of " in pruned.stdout
