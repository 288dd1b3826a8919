"""The command line trains the same model again: the seed has a default, and reaches everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.known import learner_named, learners

Run = Callable[..., Any]

CLASSIFIERS = sorted(learners("texts"))
TAGGERS = sorted(declaration_of(cls).short or name for name, cls in learners("sequences").items())
ONLY_ROWS = {"DecisionTree", "GaussianBayes", "GaussianNB", "ParzenWindows"}  # refuse texts


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write data with noise, so that an order or a start by chance shows in the weights."""
    folder, random = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    draw = [random.integers(0, 12, 5) for _ in range(90)]
    texts = "".join(f"{'xyz'[n % 3]}\t{' '.join(f'w{w}' for w in own)}\n"
                    for n, own in enumerate(draw))  # fmt: skip
    rows = "a,b,c,label\n" + "".join(
        f"{own[0]}.5,{own[1]}.5,{own[2]}.5,{'xyz'[n % 3]}\n" for n, own in enumerate(draw)
    )
    tagged = "".join(  # more features than tokens: coordinate descent, in an order by chance
        "".join(f"{random.bytes(4).hex()}\t{'NVD'[(w + n) % 3]}\n" for w in own) + "\n"
        for n, own in enumerate(draw)
    )
    found = {}
    for name, content in {"texts.tsv": texts, "rows.csv": rows, "tagged.conll": tagged}.items():
        found[name.split(".")[0]] = folder / name
        (folder / name).write_text(content)
    return found


def _trained(run: Run, data: Path, output: Path, *options: str) -> tuple[dict[str, Any], str]:
    done = run("train", data, "-o", output, "--quiet", *options)
    assert done.exit_code == 0, (done.output, done.exception)
    asked = run("predict", output, data, "--quiet")
    assert asked.exit_code == 0, asked.output
    return load_file(output), asked.stdout


def _check_twice(run: Run, data: Path, folder: Path, *options: str) -> None:
    one, other = (_trained(run, data, folder / f"{k}.linnet", *options) for k in "ab")
    assert one[1] == other[1]
    assert one[0].keys() == other[0].keys()
    for name, array in ((k, v) for k, v in one[0].items() if not k.endswith(".seconds")):
        assert np.array_equal(array, other[0][name], equal_nan=array.dtype.kind == "f"), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [name for name in CLASSIFIERS if name not in ONLY_ROWS])
def test_texts(learner: str, linnet_command: Run, files: dict[str, Path], tmp_path: Path) -> None:
    _check_twice(linnet_command, files["texts"], tmp_path, "--learner", learner)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_rows(learner: str, linnet_command: Run, files: dict[str, Path], tmp_path: Path) -> None:
    _check_twice(linnet_command, files["rows"], tmp_path, "--learner", learner)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", TAGGERS)
def test_sentences(
    learner: str, linnet_command: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    _check_twice(linnet_command, files["tagged"], tmp_path, "--learner", learner)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["texts", "rows", "tagged"])
def test_what_no_learner_is_named_for(
    kind: str, linnet_command: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    _check_twice(linnet_command, files[kind], tmp_path, "--holdout", "0.2")


def test_short_names_stand_for_classes_that_are_tried() -> None:
    for cls in (*learners("texts").values(), *learners("sequences").values()):
        declared = declaration_of(cls)
        kind = "sequences" if declared.sequences else "texts"
        assert learner_named(declared.short or cls.__name__, kind) is cls
