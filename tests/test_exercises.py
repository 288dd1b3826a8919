"""The exercise scripts print what their answers claim."""

from __future__ import annotations

import ast
import importlib.util
import io
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import linnet.lecture
from linnet.reference import dual_coordinate_descent, svm

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "exercises"
SCRIPTS = sorted(FOLDER.glob("x*.py"))
SEQUENCES = sorted(FOLDER.glob("sequences_*.py"))

Run = Callable[[str], dict[str, Any]]

pytestmark = pytest.mark.spec("X-17")


def no_network(*_: object) -> None:
    raise OSError("an exercise must not need the network")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the script of one number and returns what it found."""
    import matplotlib

    matplotlib.use("agg")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(socket.socket, "connect", no_network)

    def run_script(number: str) -> dict[str, Any]:
        [path] = [*FOLDER.glob(f"x{number}_*.py"), *FOLDER.glob(f"sequences_{number}.py")]
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.main(tmp_path)

    yield run_script
    sys.modules.pop("exercise_tools", None)


@pytest.fixture
def reviews(data_dir: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the test where the reviews are not."""
    monkeypatch.setenv("LINNET_DATA", str(data_dir("amazon_books").parent))


@pytest.fixture
def no_reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_DATA", str(tmp_path))


def test_every_exercise_states_its_question_and_its_answer() -> None:
    assert len(SCRIPTS) == 17
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        number = path.stem[1:3]
        assert text.startswith(f'"""X-{number} (S')
        assert "\nQuestion" in text
        assert "\nAnswer\n" in text or "\nQuestions and answers\n" in text
        readme = (FOLDER / "README.md").read_text(encoding="utf-8")
        linked = re.escape(f"| [`{path.name}`]({path.name}) | S")
        assert re.search(rf"^{linked}[0-4].* \| .+ \|$", readme, re.MULTILINE)


def test_every_page_on_sequences_has_its_exercise() -> None:
    assert [path.stem for path in SEQUENCES] == [
        "sequences_crf", "sequences_hmm", "sequences_label_bias", "sequences_memm"
    ]  # fmt: skip
    for path in SEQUENCES:
        page = FOLDER.parent / f"{path.stem.removeprefix('sequences_')}.md"
        assert f"(exercises/{path.name})" in page.read_text(encoding="utf-8")
        assert f"[`{path.name}`]({path.name})" in (FOLDER / "README.md").read_text(encoding="utf-8")
        text = path.read_text(encoding="utf-8")
        assert "\nQuestion\n" in text and "\nAnswer\n" in text


def test_the_exercises_of_the_lab_are_written_in_its_calling_style() -> None:
    for path in SCRIPTS[:8]:
        text = path.read_text(encoding="utf-8")
        assert "import linnet.lecture as lab" in text, path.name
        if path.stem != "x08_comparison":  # it compares by the lab's one function for all models
            assert ".train(" in text, path.name


@pytest.mark.parametrize("path", SCRIPTS[11:13], ids=lambda path: path.stem)
def test_a_script_run_from_another_folder_prints_question_answer_and_numbers(
    path: Path, tmp_path: Path
) -> None:
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = os.pathsep.join(str(Path(folder).resolve()) for folder in given if folder)
    result = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    asked, _, rest = result.stdout.partition("\nAnswer\n")
    answered, _, numbers = rest.partition("\nThe numbers\n")
    assert asked.startswith(f"X-{path.stem[1:3]} (S")
    assert "Question" in asked and answered.strip()
    assert any(char.isdigit() for char in numbers)
    assert not list(tmp_path.iterdir())  # plots only where they are asked for


@pytest.mark.parametrize("path", SCRIPTS + SEQUENCES, ids=lambda path: path.stem)
def test_asked_for_the_question_a_script_does_not_answer_it(
    path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import exercise_tools

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    monkeypatch.setattr(sys, "argv", [path.name, "--question"])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    exercise_tools.run(lambda output: pytest.fail("it answered"), text)
    asked = capsys.readouterr().out
    named = path in SEQUENCES or asked.startswith(f"X-{path.stem[1:3]} (S")
    assert named and "\nQuestion" in asked
    assert "\nAnswer\n" not in asked and len(asked) < 0.8 * len(text)


@pytest.mark.parametrize("path", [*SCRIPTS, *SEQUENCES], ids=lambda path: path.stem)
def test_on_a_narrow_terminal_paragraphs_fit_and_tables_stay(path: Path, run: Run) -> None:
    import exercise_tools

    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    narrow = exercise_tools.fitted(text, 60)
    assert narrow.split() == text.split()
    for line in narrow.splitlines():
        assert len(line) <= 60 or (line in text.splitlines() and not exercise_tools._is_prose(line))


def test_at_a_terminal_the_answer_waits_for_enter(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import exercise_tools

    seen: list[str] = []
    terminal = io.StringIO("\n")
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "argv", ["x.py", "--question"])
    monkeypatch.setattr(sys, "stdin", terminal)
    answered = "X (S0): t.\n\nQuestion\n    Why?\n\nAnswer\n    So."
    exercise_tools.run(lambda output: seen.append("numbers"), answered)
    asked, _, rest = capsys.readouterr().out.partition("Enter")
    assert "Why?" in asked and "So." not in asked
    assert "So." in rest and seen == ["numbers"]


@pytest.mark.spec("X-17", "C-21")
def test_x17_every_learner_is_called_alike_and_one_of_ones_own_too(run: Run) -> None:
    found = run("17")
    assert {value for name, value in found.items() if name.endswith("rows")} == {3.0}
    tests = {name: value for name, value in found.items() if name.endswith("test")}
    assert len(tests) == 6
    for name, accuracy in tests.items():
        assert accuracy == pytest.approx(0.92, abs=0.015), name


@pytest.mark.spec("X-01", "P-01", "P-02", "P-03", "W-21")
def test_x01_naive_bayes_comes_close_to_the_best_accuracy(run: Run, tmp_path: Path) -> None:
    found = run("01")
    assert found["train"] == pytest.approx(0.91)
    assert found["test"] == pytest.approx(0.92)
    for variance, error in ((0.25, 0.002339), (0.5, 0.02275), (1, 0.07865), (2, 0.158655)):
        assert found[f"variance {variance:g}"] == pytest.approx(1 - error, abs=0.008)
    assert found["balance 0.9"] == pytest.approx(1 - 0.038996, abs=0.006)
    assert found["points 10"] < found["points 100000"]
    assert (tmp_path / "x01_naive_bayes.png").exists()


@pytest.mark.spec("X-02", "R-03", "W-05")
def test_x02_smoothing_cures_unseen_words(run: Run, reviews: None) -> None:
    found = run("02")
    assert found["P(-) with 0"] == 1.0
    assert found["P(-) with 1"] == pytest.approx(2523 / 3101)
    assert found["maximum likelihood, all"] == 0.5975
    assert found["maximum likelihood, train"] == 0.665
    assert found["maximum likelihood, all, ruled out"] == 272
    assert found["add one, all"] == found["add one, train"] == 0.84
    assert found["add one, as printed, all"] == 0.77
    assert found["add one, as printed, train"] == 0.7575


@pytest.mark.spec("X-03", "M-12", "M-14")
def test_x03_naive_bayes_is_linear_and_tends_to_the_best_line(run: Run) -> None:
    found = run("03")
    assert found["same labels"] == 1.0
    assert found["spread"] < 1e-12
    assert found["angle 200000"] < 0.1 < found["angle 20"]
    assert 0 <= found["lost 200000"] < 1e-5 < found["lost 20"]


@pytest.mark.spec("X-04", "M-46", "P-04")
def test_x04_averaging_steadies_the_perceptron(run: Run, reviews: None, tmp_path: Path) -> None:
    found = run("04")
    plain = [found[f"plain {rounds}"] for rounds in (5, 10, 15, 20)]
    averaged = [found[f"averaged {rounds}"] for rounds in (5, 10, 15, 20)]
    assert max(plain) - min(plain) > 10
    assert max(abs(angle - 45) for angle in averaged) < 2
    assert found["reviews, plain"] == pytest.approx(0.80, abs=0.02)
    assert found["reviews, averaged"] == pytest.approx(0.80, abs=0.02)
    assert (tmp_path / "x04_perceptron.png").exists()


@pytest.mark.spec("X-05", "M-47")
def test_x05_lambda_matters_only_when_it_caps_the_steps(run: Run, reviews: None) -> None:
    found = run("05")
    assert len({found[f"reviews, {lam:g}"] for lam in (0.01, 0.1, 1, 10)}) == 1
    assert found["reviews, 1"] > found["reviews, 10000"]
    assert found["reviews, 10000"] == pytest.approx(found["reviews, perceptron"], abs=0.02)
    assert found["simple, 10000"] == pytest.approx(found["simple, perceptron"], abs=0.02)


@pytest.mark.spec("X-06", "R-04", "P-05")
def test_x06_maximum_entropy_reaches_the_reference_optima(
    run: Run, reviews: None, tmp_path: Path
) -> None:
    found = run("06")
    optima = {
        1.0: (0.622402779, 0.79),
        0.1: (0.442729462, 0.835),
        0.01: (0.206444386, 0.8425),
        0.001: (0.061551004, 0.86),
        0.0001: (0.013429005, 0.8475),
    }
    for lam, (objective, accuracy) in optima.items():
        assert found[f"reviews, {lam:g}, objective"] == pytest.approx(objective, rel=1e-6)
        assert found[f"reviews, {lam:g}"] == accuracy
    assert 0 < found["sgd 1"] < 0.01
    assert found["sgd 0.1"] > 0.05 and found["sgd 0.01"] > 0.05
    assert (tmp_path / "x06_objectives.png").exists()


@pytest.mark.spec("X-07", "R-05")
def test_x07_the_svm_reaches_the_reference_optima(run: Run, reviews: None) -> None:
    found = run("07")
    optima = {
        1.0: (0.715133293, 0.8175),
        0.1: (0.283750096, 0.865),
        0.01: (0.042058147, 0.84),
        0.001: (0.004215984, 0.84),
    }
    for lam, (objective, accuracy) in optima.items():
        assert found[f"reviews, {lam:g}, optimum"] == pytest.approx(objective, rel=1e-6)
        assert found[f"reviews, {lam:g}, optimum's test"] == accuracy
    assert found["reviews, 1, excess"] < 0.01
    assert found["reviews, 0.1, excess"] > 1


@pytest.mark.spec("X-08", "P-06", "P-07")
def test_x08_models_agree_with_much_data_and_lose_the_rare_class(run: Run, tmp_path: Path) -> None:
    found = run("08")
    models = ("naive Bayes", "perceptron", "MIRA", "MaxEnt", "SVM")
    many = [found[f"test accuracy, points 1000, {name}"] for name in models]
    assert max(many) - min(many) < 0.001
    few = [found[f"test accuracy, points 10, {name}"] for name in models]
    assert max(few) < min(many)
    for name in models:
        even, rare = (found[f"rare points found, balance {b}, {name}"] for b in ("0.5", "0.97"))
        assert even > 0.9 > 0.7 > rare
    names = {path.name for path in tmp_path.iterdir()}
    assert {"x08_boundaries.png", "x08_test_accuracy_by_variance.png"} <= names


@pytest.mark.spec("X-09", "M-04", "W-26")
def test_x09_no_randomised_rule_beats_the_best_action(run: Run, tmp_path: Path) -> None:
    found = run("09")
    assert found["Bayes rule"] == pytest.approx(0.30)
    assert found["guess as often as it occurs"] == pytest.approx(0.42)
    assert found["least loss to the best action"] > 0
    assert found["loss of mixing equal actions"] == pytest.approx(0.0, abs=1e-15)
    assert (tmp_path / "x09_randomised_rule.png").exists()


@pytest.mark.spec("X-10", "M-08", "F-15")
def test_x10_the_likelihood_is_largest_at_the_sample_mean(run: Run, tmp_path: Path) -> None:
    found = run("10")
    assert (found["mean"], found["variance"]) == (2.5, 1.25)
    assert found["log-likelihood"] == pytest.approx(-6.122041, abs=1e-6)
    assert found["slope at the mean"] == pytest.approx(0.0, abs=1e-8)
    assert found["best of a grid"] == pytest.approx(2.5)
    assert found["mean variance of samples of 4"] == pytest.approx(0.75, abs=0.01)
    assert (tmp_path / "x10_log_likelihood.png").exists()


@pytest.mark.spec("X-11", "M-10", "R-01")
def test_x11_the_errors_on_iris_are_those_of_the_reference(run: Run, tmp_path: Path) -> None:
    found = run("11")
    errors = {
        "full": (3, 4),
        "diagonal": (6, 7),
        "pooled": (3, 3),
        "pooled diagonal": (6, 6),
        "variance 1": (11, 12),
    }
    for name, counts in errors.items():
        pair = f"versicolor, virginica, {name}"
        assert (found[pair], found[f"{pair}, one out"]) == counts
        pair = f"setosa, versicolor, {name}"
        assert (found[pair], found[f"{pair}, one out"]) == (0, 0)
    assert (tmp_path / "x11_iris.png").exists()


@pytest.mark.spec("X-12", "W-01", "W-02", "W-03", "M-100", "M-101")
def test_x12_the_gain_of_rock_hard_by_hand_and_by_linnet(run: Run) -> None:
    found = run("12")
    assert found["H(Y | rock-hard)"] == pytest.approx(0.235193, abs=1e-6)
    assert found["H(Y | not)"] == pytest.approx(0.998150, abs=1e-6)
    assert found["information gain"] == pytest.approx(0.041523842, abs=1e-9)
    assert found["gain ratio"] == pytest.approx(0.140838603, abs=1e-9)
    assert found["information gain by linnet"] == pytest.approx(found["information gain"])
    assert found["gain ratio by linnet"] == pytest.approx(found["gain ratio"])
    assert found["chi2 by linnet"] == pytest.approx(93.476144, abs=1e-6)


@pytest.mark.spec("X-13", "A-13", "A-14", "F-01", "W-25")
def test_x13_the_listing_is_the_average_up_to_a_factor(run: Run) -> None:
    found = run("13")
    assert found["w_n"] == pytest.approx([1, 2.5, 2])
    assert found["A"] == pytest.approx([0.84, 2.2, 1.88])
    assert found["B"] == pytest.approx([0.88, 2.3, 1.96])
    assert found["C"] == pytest.approx(25 / 26 * found["B"])
    assert found["D"] == pytest.approx([2 / 3, 2, 2])


@pytest.mark.spec("X-14", "W-05", "W-15", "M-43", "M-42", "M-125")
def test_x14_the_questions_of_the_second_lecture(run: Run) -> None:
    found = run("14")
    assert found["P(-)"] == pytest.approx(2523 / 3101)
    assert found["mistakes"] == 3
    assert found["bound"] == pytest.approx(26.142857, rel=1e-4)
    assert found["xor"] > 0
    assert found["best round"] < found["rounds"] <= 40
    assert found["gain of going on"] < 0.01
    assert found["mistakes at the end"] < found["mistakes at the best"]
    assert (found["robbery 1"], found["robbery 2"]) == (-0.5, 1.0)
    assert found["constant 1"] > found["constant 0.1"] > found["constant 0.01"]
    assert found["1/(1000 + t)"] > found["1/(1 + t)"] > 0.1
    assert max(found["held out"], found["1/(λ(t + t0))"]) < 0.01


@pytest.mark.spec("X-15", "W-12", "W-13", "M-55", "M-44", "M-63")
def test_x15_the_questions_of_the_third_lecture(run: Run) -> None:
    found = run("15")
    assert found["theta"] == pytest.approx(-0.07776)
    assert found["p(x0)"] == pytest.approx(0.3, abs=1e-6)
    assert found["p(x1)"] == pytest.approx(0.2, abs=1e-6)
    assert found["bits"] == pytest.approx(1.970951, abs=1e-6)
    assert found["weight"] == pytest.approx(0.405465, abs=1e-6)
    assert found["gap 1e-09"] < 1e-6 < found["gap 0.1"]
    assert max(found["off 1e-09"], found["off 0.1"]) < 1e-4
    assert found["updates apart"] < 1e-9


@pytest.mark.spec("X-16", "W-23", "W-24", "W-28", "W-29", "M-92", "M-126")
def test_x16_the_questions_of_the_fourth_lecture(run: Run) -> None:
    found = run("16")
    assert found["rule"] == 46
    assert found["badges train"] == 1.0
    assert found["badges test"] == pytest.approx(0.8)
    assert (found["x"], found["x and x²"]) == (5, 7)
    assert found["width"] == pytest.approx(2.828427, abs=1e-6)
    assert found["distance"] == pytest.approx(found["width"])
    assert found["P on the boundary"] == pytest.approx(0.5)
    assert found["spread"] < 1e-8
    legal = {slope: found[f"slope {slope}"] for slope in (-1.5, -1, -0.5, 0, 0.5)}
    assert legal == {-1.5: 0.0, -1: 1.0, -0.5: 1.0, 0: 1.0, 0.5: 0.0}


# --- on generated reviews, which every machine has ---------------------------------------------


@pytest.fixture
def made_up(generated_reviews: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_DATA", str(generated_reviews))


@pytest.mark.spec("X-02", "R-03")
def test_on_generated_reviews_smoothing_cures_unseen_words_too(run: Run, made_up: None) -> None:
    found = run("02")
    for part in ("all", "train"):
        assert found[f"add one, {part}"] > found[f"maximum likelihood, {part}"]
    assert found["maximum likelihood, all, ruled out"] > 0


@pytest.mark.spec("X-04", "M-46", "P-04")
def test_on_generated_reviews_the_averaged_perceptron_learns(run: Run, made_up: None) -> None:
    found = run("04")
    assert found["reviews, averaged"] > 0.8
    assert found["reviews, averaged"] >= found["reviews, plain"] - 0.02


@pytest.mark.spec("X-05", "M-47")
def test_on_generated_reviews_lambda_matters_only_where_it_caps(run: Run, made_up: None) -> None:
    found = run("05")
    assert len({found[f"reviews, {lam:g}"] for lam in (0.01, 0.1, 1)}) == 1
    assert found["reviews, 10000"] == pytest.approx(found["reviews, perceptron"], abs=0.03)


@pytest.mark.spec("X-06", "R-04", "P-05")
def test_on_generated_reviews_maximum_entropy_reaches_the_optimum_of_scipy(
    run: Run, made_up: None, generated_reviews: Path
) -> None:
    found = run("06")
    corpus = linnet.lecture.SentimentCorpus(
        folder=generated_reviews / "amazon_books", cutoff_on="all"
    )
    X = np.column_stack([np.ones(len(corpus.train_y)), corpus.train_X.toarray()])
    sign = 2.0 * corpus.train_y - 1

    def mean_loss(w: np.ndarray, lam: float) -> tuple[float, np.ndarray]:
        # w is the difference of two columns, each half of it, so its penalty is λ/4 |w|²
        margin = sign * (X @ w)
        slope = -sign / (1 + np.exp(margin)) / len(sign)
        return np.logaddexp(0, -margin).mean() + lam / 4 * w @ w, X.T @ slope + lam / 2 * w

    for lam in (1.0, 0.1, 0.01):
        best = minimize(mean_loss, np.zeros(X.shape[1]), lam, jac=True, tol=1e-10)
        assert found[f"reviews, {lam:g}, objective"] == pytest.approx(best.fun, rel=1e-5)
    assert 0 < found["sgd 1"] < 0.01


@pytest.mark.spec("X-07", "R-05")
def test_on_generated_reviews_the_machine_reaches_the_optimum_of_the_plain_twin(
    run: Run, made_up: None, generated_reviews: Path
) -> None:
    found = run("07")
    corpus = linnet.lecture.SentimentCorpus(
        folder=generated_reviews / "amazon_books", cutoff_on="all"
    )
    X = np.column_stack([corpus.train_X.toarray(), np.ones(len(corpus.train_y))])
    C = 2 / len(X)  # λ = 1
    plain = dual_coordinate_descent.svm(X, 2 * corpus.train_y - 1, C=C, n_rounds=200)
    value = svm.binary_primal(plain.weights, X, 2 * corpus.train_y - 1, C)[0]
    optimum = 2 * found["reviews, 1, optimum"]  # between the twin's dual and its primal
    assert plain.dual[-1] <= optimum <= value < plain.dual[-1] * (1 + 1e-4)
    assert found["reviews, 1, excess"] < 0.02


@pytest.mark.parametrize("number", ["02", "04", "05", "06", "07"])
def test_without_the_reviews_the_rest_of_an_exercise_still_runs(
    run: Run, no_reviews: None, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(number)
    assert found
    assert not any("reviews" in name for name in found)
    assert "LINNET_DATA" in capsys.readouterr().out


def test_the_lattice_of_fish_can_swim(run: Run) -> None:
    found = run("hmm")
    for name in ("P(words), forward", "P(words), eight taggings", "P(words), linnet"):
        assert found[name] == pytest.approx(0.035612, abs=1e-9), name
    assert found["best tagging"] == found["best tagging, linnet"] == "N N V"
    assert found["its probability"] == pytest.approx(0.0126)
    assert found["its share of all"] == pytest.approx(0.3538, abs=1e-4)
    assert found["P(fish is N)"] == pytest.approx(0.702572, abs=1e-6)
    assert found["P(fish is N), linnet"] == pytest.approx(found["P(fish is N)"])


def test_what_follows_has_no_say_in_a_memm(run: Run) -> None:
    found = run("memm")
    fish, it = found["MEMM, they can fish"], found["MEMM, they can it"]
    assert fish == pytest.approx(it)
    assert fish["M"] == pytest.approx(0.393, abs=2e-3)
    assert fish["V"] == pytest.approx(0.434, abs=2e-3)
    assert found["CRF, they can fish"]["M"] == pytest.approx(0.669, abs=2e-3)
    assert found["CRF, they can it"]["V"] == pytest.approx(0.686, abs=2e-3)
    for name in ("MEMM", "CRF"):
        assert found[f"{name}, they can fish, best"] == "P M V"
        assert found[f"{name}, they can it, best"] == "P V P"


def test_crf_weights_are_what_was_observed_minus_what_is_expected(run: Run) -> None:
    found = run("crf")
    assert found["log-likelihood at 0"] == pytest.approx(-1.386294, abs=1e-6)
    assert found["gradient of Y after X at 0"] == 0.75
    assert found["P(X Y) at the optimum"] == pytest.approx(0.59365, abs=1e-5)
    assert found["weight of Y after X"] == pytest.approx(0.40635, abs=1e-5)
    assert found["weight of X after Y"] == pytest.approx(-0.08363, abs=1e-5)
    assert found["farthest from observed - expected"] < 1e-5


def test_the_letter_that_tells_the_branches_apart_has_no_vote(run: Run) -> None:
    found = run("label_bias")
    assert found["best possible"] == pytest.approx(1 / 24)
    assert found["CRF, wrong states"] == pytest.approx(0.045, abs=0.002)
    assert found["MEMM, wrong states"] == pytest.approx(0.31, abs=0.01)
    same = [found[f"MEMM, P(branch of o | {word})"] for word in ("rib", "rob")]
    assert same[0] == pytest.approx(same[1], abs=0.01)
    assert found["CRF, P(branch of o | rob)"] > 0.95 > 0.05 > found["CRF, P(branch of o | rib)"]
