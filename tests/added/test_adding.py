"""Adding a learner to linnet takes its files and two lines, and nothing else.

A copy of the package gets the new files and the edited lines; in it the learner works like all
others, by its names alone.
"""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import linnet
from linnet import _core

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Addition:
    """A learner, its short name, and what tries it: `data` are written, then `script` runs."""

    module: str
    cls: str
    short: str
    data: str
    script: str


FLAT = Addition(
    "nearest_mean",
    "NearestMean",
    "mean",
    "".join(
        f"{'pos' if n % 2 else 'neg'}\t{'good' if n % 2 else 'poor'} w{n}\n" for n in range(40)
    ),
    """
from sklearn.utils.estimator_checks import check_estimator
check_estimator(linnet.NearestMean())
assert "good" in run("explain", "m.linnet", "a good film")
X, y = ["good", "poor"] * 20, ["pos", "neg"] * 20
everyone = linnet.compare((X, y))
assert "NearestMean" in {row.name for row in everyone.rows}
rows = linnet.RowClassifier(linnet.NearestMean()).fit([[0.0, "a"], [1.0, "b"]] * 15, [0, 1] * 15)
rows.save("rows.linnet")
twin = linnet.load("rows.linnet")
assert type(twin.learner_) is linnet.NearestMean
assert twin.predict([[1.0, "b"]]).tolist() == [1]
linnet.save(linnet.NearestMean().fit([[0.0], [1.0]], y[:2]), "bare.linnet")
assert type(linnet.load("bare.linnet")) is linnet.NearestMean
""",
)
CHAIN = Addition(
    "naive_bayes_tagger",
    "NaiveBayesTagger",
    "nb",
    "the\tD\ndog\tN\nruns\tV\n\ndogs\tN\nrun\tV\n\n" * 10,
    """
assert "runs" in run("explain", "m.linnet", "the dog runs")
X, y = [["the", "dog", "runs"], ["dogs", "run"]] * 10, [["D", "N", "V"], ["N", "V"]] * 10
tokens = [[[f"w={word}"] for word in sentence] for sentence in X]
bare = linnet.NaiveBayesTagger().fit(tokens, y)
assert bare.predict(tokens) == y
linnet.save(bare, "bare.linnet")
assert type(linnet.load("bare.linnet")) is linnet.NaiveBayesTagger
from sklearn.base import clone
assert clone(bare).get_params() == bare.get_params() and not hasattr(clone(bare), "classes_")
""",
)
COMMON = """
import sys
import warnings
warnings.simplefilter("ignore")
import linnet
assert linnet.__file__.startswith({home!r}), linnet.__file__
from typer.testing import CliRunner
from linnet.cli.app import app

def run(*arguments):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.output

for name in ({short!r}, {cls!r}):
    assert {cls!r} in run("train", {data!r}, "-o", "m.linnet", "--learner", name)
assert len(run("predict", "m.linnet", {data!r}).splitlines()) >= 40
assert "accuracy" in run("evaluate", "m.linnet", {data!r})
assert {cls!r} in run("inspect", "m.linnet")
assert {cls!r} in run("compare", {data!r}, "--tune", "2s")
linnet.load("m.linnet")
import linnet.reference
assert getattr(linnet.reference, {module!r}).__all__
"""


def added_to(root: Path, learner: Addition) -> None:
    """Do what the page says: new files, and a line in each of two stubs."""
    package = root / "src" / "linnet"
    name = learner.module
    shutil.copy(HERE / f"{name}.py", package / "learn" / f"{name}.py")
    shutil.copy(HERE / f"{name}_reference.py", package / "reference" / f"{name}.py")
    (root / "docs" / f"{name}.md").write_text("# Its page\n", encoding="utf-8")
    (root / "tests" / f"test_{name}.py").write_text('"""Its tests."""\n', encoding="utf-8")
    for stub, line in (
        (package, f"from linnet.learn.{name} import {learner.cls} as {learner.cls}\n"),
        (package / "reference", f"from linnet.reference import {name} as {name}\n"),
    ):
        with open(stub / "__init__.pyi", "a", encoding="utf-8") as file:
            file.write(line)


def contents(root: Path) -> dict[str, list[str]]:
    """Return the lines of every source file."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8").splitlines()
        for path in root.rglob("*")
        if path.suffix in (".py", ".pyi", ".md")
    }


@pytest.mark.parametrize("learner", [FLAT, CHAIN], ids=["flat", "chain"])
def test_a_learner_is_added_by_at_most_four_files_and_two_lines(
    learner: Addition, tmp_path: Path
) -> None:
    root = tmp_path / "copy"
    package = root / "src" / "linnet"
    source = Path(linnet.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(_core.__file__, package)
    for folder in ("docs", "tests"):
        (root / folder).mkdir()
    before = contents(root)
    added_to(root, learner)
    after = contents(root)
    edited = [
        line
        for name, lines in before.items()
        for line in difflib.ndiff(lines, after[name])
        if line[0] in "+-"
    ]
    assert len(after.keys() - before.keys()) <= 4
    assert len(edited) <= 2

    data = tmp_path / ("data.conll" if learner is CHAIN else "data.tsv")
    data.write_text(learner.data, encoding="utf-8")
    script = COMMON.format(
        home=str(package), data=str(data), short=learner.short, cls=learner.cls,
        module=learner.module,
    )  # fmt: skip
    done = subprocess.run(  # -S: the installed package must not come before the copy
        [sys.executable, "-S", "-c", script + learner.script], capture_output=True, text=True,
        timeout=300, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), *sys.path])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
