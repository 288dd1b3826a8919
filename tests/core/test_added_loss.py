"""The page docs/add_a_loss.md is true: its loss is two files and two lines, and all use it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from linnet.reference.lbfgs import lbfgs

from .compiled import ROOT, SOURCES, Floats, Losses, build
from .loss_checks import MARGINS, check_margin_loss

LIVE = Path(__file__).resolve().parent / "added_loss"
PAGE = ROOT / "docs" / "add_a_loss.md"
NAME = "modified_huber"
#: The lines that all.hpp gains, each with the line it stands before.
EDITS = {
    '#include "modified_huber.hpp"': '#include "perceptron.hpp"',
    "    ModifiedHuber,              //": "    Log,                        //",
}
SOLVERS = [
    "losses/example_loss.cpp", "numeric.cpp", "parallel.cpp", "vectors.cpp",
    "structures/flat.cpp", "structures/transposed.cpp", "solvers/certificate.cpp",
    "solvers/dual_cd.cpp", "solvers/dual_columns.cpp", "solvers/dual_joint.cpp",
    "solvers/gap.cpp", "solvers/lbfgs.cpp", "solvers/line_search.cpp", "solvers/newton.cpp",
    "solvers/objective.cpp", "solvers/online.cpp", "solvers/orthant_wise.cpp",
    "solvers/quasi_newton.cpp", "solvers/face_newton.cpp", "solvers/floor.cpp", "solvers/rules.cpp",
    "solvers/stopping.cpp", "used_columns.cpp",
]  # fmt: skip


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the core with the new loss: one file and two lines."""
    copy = tmp_path_factory.mktemp("added") / "core"
    shutil.copytree(ROOT / "core", copy)
    shutil.copy(LIVE / f"{NAME}.hpp", copy / "losses")
    listed = copy / "losses" / "all.hpp"
    text = listed.read_text(encoding="utf-8")
    for line, before in EDITS.items():
        assert text.count(f"{before}\n") == 1
        text = text.replace(f"{before}\n", f"{line}\n{before}\n")
    listed.write_text(text, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def twin() -> ModuleType:
    spec = importlib.util.spec_from_file_location(NAME, LIVE / f"{NAME}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fit(core: Path) -> Path:
    sources = [SOURCES / "fit.cpp", *(core / name for name in SOLVERS)]
    return build(core.parent / "fit", core, sources)


def data() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] + rng.normal(size=60) > 0.0, 1.0, -1.0)
    y[:5] *= -1.0  # wrong labels
    return X, y


def ask(fit: Path, solver: str, loss: str, tolerance: float = 1e-9) -> list[str]:
    X, y = data()
    lines = [f"{solver} {loss} {len(X)} {X.shape[1]} 2 {tolerance}"]
    lines += [
        f"{int(g > 0)} 0.7 {' '.join(map(repr, row))}" for g, row in zip(y, X.tolist(), strict=True)
    ]
    text = "\n".join(lines)
    done = subprocess.run([str(fit)], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def best_weights(twin: ModuleType) -> Floats:
    """Return the optimum by the reference: its L-BFGS over its loss."""
    X, y = data()
    rows = np.column_stack([X, np.ones(len(X))]) * y[:, None]

    def objective(w: Floats) -> tuple[float, Floats]:
        m = rows @ w
        loss = twin.modified_huber
        value = 0.5 * w @ w + 0.7 * loss.value(m).sum()
        return float(value), w + 0.7 * rows.T @ loss.derivative(m)

    return np.asarray(lbfgs(objective, np.zeros(rows.shape[1]), tolerance=1e-8).x)


def test_the_page_shows_the_files_that_run() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = {kind: body for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)}
    assert shown["cpp"] == (LIVE / f"{NAME}.hpp").read_text(encoding="utf-8")
    assert shown["python"] == (LIVE / f"{NAME}.py").read_text(encoding="utf-8")
    for line in EDITS:
        assert line.strip(" /") in page


def test_a_loss_is_at_most_four_files_and_two_lines(core: Path) -> None:
    new = [
        p
        for p in core.rglob("*")
        if p.is_file() and not (ROOT / "core" / p.relative_to(core)).exists()
    ]
    old = (ROOT / "core/losses/all.hpp").read_text(encoding="utf-8").splitlines()
    now = (core / "losses/all.hpp").read_text(encoding="utf-8").splitlines()
    assert [path.name for path in new] == [f"{NAME}.hpp"]
    assert len(now) - len(old) == len(set(now) - set(old)) == 2
    page = PAGE.read_text(encoding="utf-8")
    files = re.findall(r"^\| `([^`]+)` \| new:", page, re.M)
    assert 2 <= len(files) <= 4 and f"core/losses/{NAME}.hpp" in files


def test_the_parts_of_the_new_loss_are_what_they_are_by_definition(
    core: Path, twin: ModuleType
) -> None:
    losses = Losses(build(core.parent / "losses", core, [SOURCES / "losses.cpp"]))
    assert NAME in losses.names("margin")
    check_margin_loss(losses, NAME)
    loss = twin.modified_huber
    for part in ("value", "derivative"):
        shown, expected = losses.margin(NAME, part, MARGINS), getattr(loss, part)(MARGINS)
        np.testing.assert_allclose(shown, expected, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "dual"])
def test_the_solvers_reach_the_optimum_of_the_reference(
    fit: Path, twin: ModuleType, solver: str
) -> None:
    objective, gap, certificate, weights = ask(fit, solver, NAME)
    assert 0.0 <= float(gap) <= 1e-9 * float(objective)
    if solver != "dual":  # the dual's gap is that of a better dual point
        assert float(certificate) <= 2.0 * float(gap) + 1e-12
    np.testing.assert_allclose([float(w) for w in weights.split()], best_weights(twin), atol=1e-4)


@pytest.mark.slow
def test_the_online_learner_takes_steps_along_the_reference(fit: Path, twin: ModuleType) -> None:
    X, y = data()
    w = np.zeros(4)
    for row, sign in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
        w -= 0.1 * 0.7 * sign * twin.modified_huber.derivative(sign * (w @ row)) * row
    weights = [float(v) for v in ask(fit, "online", NAME)[3].split()]
    np.testing.assert_allclose(weights, w, rtol=1e-12)


@pytest.mark.slow
def test_a_solver_names_the_part_that_a_loss_lacks(fit: Path) -> None:
    assert ask(fit, "newton", "hinge") == [
        "refused: a batch solver needs the curvature of a loss, which hinge does not have"
    ]
    assert ask(fit, "dual", "probability") == [
        "refused: dual coordinate descent needs the conjugate of a loss, "
        "which probability does not have"
    ]
    assert ask(fit, "dual", "squared") == [
        "refused: dual coordinate descent needs the dual step of a loss, "
        "which squared does not have"
    ]
    assert ask(fit, "newton", "huber")[0].startswith(
        "refused: the loss must be one of perceptron, "
    )
