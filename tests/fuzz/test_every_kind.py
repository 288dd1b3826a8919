"""What holds for a model of every kind: it is saved and loaded, and its bytes are its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.model.file import read_model
from linnet.public import public_homes

from .asking import ask_all
from .kinds import KINDS
from .running import ROOT

FACES = (linnet.TextClassifier, linnet.RowClassifier, linnet.SequenceTagger)
each_kind = pytest.mark.parametrize("name", KINDS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two folders with the same models, trained by two processes."""
    made = []
    for seed in ("1", "2"):
        folder = tmp_path_factory.mktemp("models")
        subprocess.run(
            [sys.executable, "-m", "tests.fuzz", "--make", folder],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        made.append(folder)
    return made


@each_kind
def test_training_twice_with_the_same_seed_gives_the_same_bytes(
    name: str, folders: list[Path]
) -> None:
    one, two = (folder / f"{name}.linnet" for folder in folders)
    assert one.read_bytes() == two.read_bytes()


@each_kind
def test_a_model_that_nobody_forged_answers_with_numbers(
    name: str, folders: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    path.write_bytes((folders[0] / f"{name}.linnet").read_bytes())
    ask_all(path, KINDS[name])
    assert path.with_suffix(".again").read_bytes() == path.read_bytes()


def test_every_public_model_is_among_the_kinds(folders: list[Path]) -> None:
    stored = {read_model(folders[0] / f"{name}.linnet").name for name in KINDS}
    faces = {face.__name__ for face in FACES} | {"FeatureWeights", "Comparison"}
    public = {
        name
        for name in public_homes()
        if isinstance(cls := getattr(linnet, name), type)
        and (hasattr(cls, "fit") or hasattr(cls, "_from_file"))
    }
    assert public - faces == stored


@pytest.mark.parametrize("name", ["text svm", "text several labels", "row memory", "tag crf"])
def test_save_takes_the_classifier_as_well_as_its_model(name: str, tmp_path: Path) -> None:
    face: Any = KINDS[name].fit()
    assert isinstance(face, FACES)
    paths = [tmp_path / part for part in ("function", "method", "model")]
    linnet.save(face, paths[0])
    face.save(paths[1])
    linnet.save(face.model_, paths[2])
    assert len({path.read_bytes() for path in paths}) == 1
    assert type(linnet.load(paths[0])) is type(face.model_)


def test_save_hands_options_on_to_the_model_of_a_classifier(tmp_path: Path) -> None:
    face = KINDS["text svm"].fit()
    linnet.save(face, tmp_path / "small", dtype="float16", max_features=5)
    assert linnet.load(tmp_path / "small").n_features == 5


@pytest.mark.parametrize("face", FACES)
def test_a_classifier_that_is_not_fitted_is_not_saved(face: Any, tmp_path: Path) -> None:
    with pytest.raises(linnet.errors.NotFittedError, match="not fitted yet"):
        linnet.save(face(), tmp_path / "m.linnet")
    assert not list(tmp_path.iterdir())
