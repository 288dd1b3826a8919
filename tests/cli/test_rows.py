"""The verbs on rows of attribute values, and with learners that are not linear."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data import load_iris

Command = Callable[..., Any]
WEATHER = "outlook,degrees,windy,play\n" + (
    "sunny,30,no,stay\nsunny,21,no,go\nrain,20,yes,stay\nrain,11,no,stay\nfog,16,no,go\n" * 4
)
LEARNERS = ["memory", "tree", "kernel", "kernel_perceptron", "maxent", "svm", "nb", "perceptron"]
DENSITIES = ["gaussian", "parzen", "gaussiannb"]


@pytest.fixture
def weather(tmp_path: Path) -> Path:
    path = tmp_path / "weather.csv"
    path.write_text(WEATHER, encoding="utf-8")
    return path


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    data, path = load_iris(), tmp_path / "iris.data"
    lines = [",".join(f"{v:g}" for v in row) for row in data.X.tolist()]
    names = [f"species{int(label)}" for label in data.y]
    rows = (f"{line},{name}\n" for line, name in zip(lines, names, strict=True))
    path.write_text("".join(rows), encoding="utf-8")
    return path


def ok(found: Any) -> Any:
    assert found.exit_code == 0, f"{found.output}\n{found.exception!r}"
    return found


def message(found: Any) -> str:
    assert found.exit_code == 1, found.output
    return str(found.stderr)


# Real data


@pytest.mark.spec("R-06", "E-07", "D-11")
def test_dimin_through_the_verbs(
    linnet_command: Command, data_dir: Callable[[str], Path], tmp_path: Path
) -> None:
    folder, model = data_dir("dimin_nl"), tmp_path / "d.linnet"
    trained = ok(linnet_command("train", folder / "dimin.train", "-o", model))
    assert "rows of values (c45): each line has 13 between commas" in trained.stderr
    assert "the class is column c13: the last one" in trained.stderr
    measured = ok(linnet_command("evaluate", model, folder / "dimin.test", "--json"))
    assert json.loads(measured.stdout)["accuracy"] == 919 / 950
    lines = (folder / "dimin.test").read_text(encoding="utf-8").splitlines()
    bare = "\n".join(line.rsplit(",", 1)[0] for line in lines[:20]) + "\n"
    with_class = ok(linnet_command("predict", model, stdin="\n".join(lines[:20]) + "\n"))
    without = ok(linnet_command("predict", model, stdin=bare))
    assert with_class.stdout == without.stdout
    explained = ok(linnet_command("explain", model, *lines[0].split(",")[:-1], "--json"))
    nearest = json.loads(explained.stdout)["reasons"][0]
    assert (nearest["distance"], nearest["label"]) == ("0", "T")
    inspected = json.loads(ok(linnet_command("inspect", model, "--json")).stdout)
    assert inspected["weights"][11]["gain_ratio"] == pytest.approx(0.325371814, abs=1e-9)
    assert inspected["weights"][0]["chi2"] == pytest.approx(128.418284, abs=1e-6)


@pytest.mark.spec("R-06", "E-07")
@pytest.mark.parametrize(
    "settings, correct",
    [
        (["k=3", "feature_weights=information_gain"], 920),
        (["k=5", "feature_weights=chi2"], 913),
        (["feature_weights=none"], 821),
    ],
)
def test_the_parameters_of_a_learner_are_set(
    settings: list[str],
    correct: int,
    linnet_command: Command,
    data_dir: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    folder, model = data_dir("dimin_nl"), tmp_path / "d.linnet"
    options = [part for one in settings for part in ("--set", one)]
    found = linnet_command(
        "train", folder / "dimin.train", "-o", model, "--valid", folder / "dimin.test",
        "--learner", "memory", *options, "--json",
    )  # fmt: skip
    assert json.loads(ok(found).stdout)["held_out"]["accuracy"] == correct / 950


def test_columns_between_blanks_are_read_and_the_number_in_front_is_not(
    linnet_command: Command, data_dir: Callable[[str], Path], tmp_path: Path
) -> None:
    folder, model = data_dir("ppattach"), tmp_path / "pp.linnet"
    trained = ok(linnet_command("train", folder / "training", "-o", model))
    assert "not read: column c1, a running number" in trained.stderr
    by_rule = linnet_command("evaluate", model, folder / "devset", "--json")
    asked = ("train", folder / "training", "-o", model, "--ignore", "1", "--label", "-1")
    ok(linnet_command(*asked, "--format", "columns"))
    by_wish = linnet_command("evaluate", model, folder / "devset", "--json")
    assert ok(by_rule).stdout == ok(by_wish).stdout
    assert json.loads(by_wish.stdout)["accuracy"] > 0.8
    found = ok(linnet_command("predict", model, "--string", "join board as director"))
    assert found.stdout == "V\t1.000000\n"


# Every learner


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_goes_through_every_verb(
    learner: str, weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "w.linnet"
    trained = ok(linnet_command("train", weather, "-o", model, "--learner", learner))
    assert "numbers: column degrees" in trained.stderr
    report = json.loads(ok(linnet_command("evaluate", model, weather, "--json")).stdout)
    assert report["accuracy"] >= 0.8
    turned = "windy,degrees,outlook\nno,21,sunny\nyes,20,rain\n"
    assert len(ok(linnet_command("predict", model, stdin=turned)).stdout.splitlines()) == 2
    row = json.loads(
        ok(linnet_command("predict", model, "--json", stdin=turned)).stdout.split("\n")[0]
    )
    assert row["line"] == 2 and row["label"] in ("go", "stay")
    answer = ok(linnet_command("explain", model, "sunny,21,no", "--json"))
    assert json.loads(answer.stdout)["reasons"]
    assert "sunny" in ok(linnet_command("explain", model, "sunny,21,no")).stdout
    assert "A classifier of rows: 2 labels" in ok(linnet_command("inspect", model)).stdout
    assert json.loads(ok(linnet_command("inspect", model, "--json")).stdout)["kind"] == "row"


@pytest.mark.parametrize("learner", DENSITIES)
def test_densities_take_numbers_and_refuse_symbols(
    learner: str, iris: Path, weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "i.linnet"
    ok(linnet_command("train", iris, "-o", model, "--learner", learner))
    report = json.loads(ok(linnet_command("evaluate", model, iris, "--json")).stdout)
    assert report["accuracy"] > 0.9
    ok(linnet_command("explain", model, "5.9,3.2,4.8,1.8"))
    found = linnet_command("train", weather, "-o", model, "--learner", learner)
    assert "takes numbers, and column outlook holds symbols" in message(found)


@pytest.mark.parametrize("learner", ["memory", "kernel", "kernel_perceptron"])
def test_texts_are_classified_by_neighbours_and_kernels(
    learner: str, reviews_file: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "t.linnet"
    ok(linnet_command("train", reviews_file, "-o", model, "--learner", learner))
    report = json.loads(ok(linnet_command("evaluate", model, reviews_file, "--json")).stdout)
    assert report["accuracy"] > 0.9
    found = ok(linnet_command("predict", model, stdin="a wonderful film\na dull mess\n"))
    assert [line.split("\t")[0] for line in found.stdout.splitlines()] == ["pos", "neg"]
    assert "pos" in ok(linnet_command("explain", model, "a wonderful film")).stdout
    assert "A classifier of texts" in ok(linnet_command("inspect", model)).stdout


@pytest.mark.parametrize("learner", ["tree", "gaussian", "parzen"])
def test_learners_of_rows_refuse_texts(
    learner: str, reviews_file: Path, linnet_command: Command, tmp_path: Path
) -> None:
    found = linnet_command("train", reviews_file, "-o", tmp_path / "t", "--learner", learner)
    assert "takes rows of a few values, not texts" in message(found)


@pytest.mark.parametrize("learner", ["kernel", "memory", "tree", "gaussian"])
def test_numbered_features_are_classified(
    learner: str, linnet_command: Command, tmp_path: Path
) -> None:
    data, path, model = load_iris(), tmp_path / "iris.svm", tmp_path / "v.linnet"
    linnet.data.write_svmlight(path, data.X, data.y)
    ok(linnet_command("train", path, "-o", model, "--learner", learner))
    report = json.loads(ok(linnet_command("evaluate", model, path, "--json")).stdout)
    assert report["accuracy"] > 0.9
    assert ok(linnet_command("explain", model, "1:2")).stdout.startswith("x0:2")


def test_set_works_for_texts_and_for_sequences(
    reviews_file: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "m.linnet"
    ok(linnet_command("train", reviews_file, "-o", model, "--set", "loss=hinge", "--json"))
    tagged = "the/D dog/N sees/V a/D cat/N\na/D cat/N runs/V\n"
    options = ("--format", "word_tag", "--set", "max_iter=3", "--json")
    found = ok(linnet_command("train", "-", "-o", model, *options, stdin=tagged))
    assert json.loads(found.stdout)["record"]["iterations"] <= 3
    by_steps = ("--set", "solver=sgd", "--set", "solver__average=true", "-C", "1", "--json")
    maxent = ("train", reviews_file, "-o", model, "--learner", "maxent")
    ok(linnet_command(*maxent, *by_steps))
    no_settings = ("--set", "solver=lbfgs", "--set", "solver__average=true", "-C", "1")
    refused = linnet_command(*maxent, *no_settings)
    assert "the solver 'lbfgs' has no settings" in message(refused)


# Options and errors


def test_a_share_can_be_held_out_and_columns_be_left_out(
    weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "w.linnet"
    options = ("--holdout", "0.25", "--ignore", "windy", "--label", "play", "--json")
    found = json.loads(ok(linnet_command("train", weather, "-o", model, *options)).stdout)
    assert found["held_out"]["n"] == 5 and found["record"]["columns"] == 2
    assert linnet.load(model).names == ["outlook", "degrees"]


def test_digits_can_be_symbols(iris: Path, linnet_command: Command, tmp_path: Path) -> None:
    model = tmp_path / "i.linnet"
    ok(linnet_command("train", iris, "-o", model, "--set", "kinds=symbolic"))
    assert set(linnet.load(model).kinds) == {"symbolic"}
    ok(linnet_command("train", iris, "-o", model, "--set", 'kinds={"c1": "symbolic"}'))
    assert linnet.load(model).kinds == ["symbolic", "numeric", "numeric", "numeric"]
    assert "symbolic or numeric" in message(
        linnet_command("train", iris, "-o", model, "--set", "kinds=colour")
    )


@pytest.mark.parametrize(
    "options, said",
    [
        (
            ("--set", "kk=3"),
            "MemoryBased has no such parameter; it has alpha, beta, classes, depth",
        ),
        (("--set", "k"), "--set must look like name=value"),
        (("--set", "k=1", "--set", "k=2"), "gives k twice"),
        (("--set", "k=zero"), "k must be a positive integer"),
        (("--learner", "forest"), "there is no learner 'forest'"),
        (("--ngrams", "1,2"), "--ngrams means nothing for rows of values"),
        (("--dtype", "float16"), "--dtype means nothing for rows of values"),
        (("--ignore", "colour"), "there is no column 'colour'"),
        (("--label", "9"), "no column|9"),
        (("--format", "parquet9"), "no format 'parquet9'"),
        (("-C", "2"), "MemoryBased has no C"),
    ],
)
def test_wrong_options_are_refused_with_what_there_is(
    options: tuple[str, ...], said: str, weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    import re

    found = message(linnet_command("train", weather, "-o", tmp_path / "m", *options))
    assert re.search(said, found), found
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "text, options, said",
    [
        ("a,b,x\nc,d,y\n" * 800 + "e,f\n", (), r"rows\.data:1601: expected 3 values"),
        ("", ("--format", "c45"), "the file is empty"),
        ("a,b,x\nc,d,x\n" * 10, (), "1 class|one class|two classes"),
        ("a,b,x\nc,d,?\n" * 10, ("--format", "c45"), r"rows\.data:2: the class"),
        ("one text\nanother\n", ("--format", "c45"), "not c45 rows|same number"),
    ],
)
def test_files_that_cannot_be_learnt_from_are_refused(
    text: str, options: tuple[str, ...], said: str, linnet_command: Command, tmp_path: Path
) -> None:
    import re

    path = tmp_path / "rows.data"
    path.write_text(text, encoding="utf-8")
    found = message(linnet_command("train", path, "-o", tmp_path / "m", *options))
    assert re.search(said, found), found


@pytest.mark.parametrize(
    "text, said",
    [
        ("outlook,degrees,windy\nsunny,warm,no\n", r":2: column degrees holds numbers.*'warm'"),
        ("outlook,windy\nsunny,no\n", "no column 'degrees', which the model reads"),
        ("outlook,degrees,windy\nsunny,21\n", "2: the row has 2 values"),
    ],
)
def test_rows_that_the_model_cannot_read_are_refused(
    text: str, said: str, weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    import re

    model, path = tmp_path / "w.linnet", tmp_path / "new.csv"
    ok(linnet_command("train", weather, "-o", model))
    path.write_text(text, encoding="utf-8")
    found = message(linnet_command("predict", model, path))
    assert re.search(said, found), found


def test_missing_and_unseen_values_are_answered(
    weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    for learner in ("memory", "tree"):
        model = tmp_path / "w.linnet"
        ok(linnet_command("train", weather, "-o", model, "--learner", learner))
        rows = "outlook,degrees,windy\nhail,?,\n?,20,no\n"
        assert len(ok(linnet_command("predict", model, stdin=rows)).stdout.splitlines()) == 2


def test_other_verbs_say_that_a_model_of_rows_is_none_of_texts(
    weather: Path, linnet_command: Command, tmp_path: Path
) -> None:
    model = tmp_path / "w.linnet"
    ok(linnet_command("train", weather, "-o", model))
    found = linnet_command("filter", model, weather, "-o", tmp_path / "k", "--keep", "go")
    assert "holds a classifier of rows; this needs a classifier of texts" in message(found)
    assert "has no labels to compare with" in message(
        linnet_command("evaluate", model, "-", stdin="outlook,degrees,windy\nsunny,20,no\n")
    )
    found = linnet_command("explain", model, "sunny,21")
    assert "a row looks like 'outlook,degrees,windy'" in message(found)


def test_a_model_trained_in_python_reads_tables(linnet_command: Command, tmp_path: Path) -> None:
    model = tmp_path / "m.linnet"
    rows = [{"outlook": "sunny", "degrees": 21.0}, {"outlook": "rain", "degrees": 12.0}]
    linnet.RowClassifier().fit(rows, ["go", "stay"]).save(model)
    found = ok(linnet_command("predict", model, stdin="degrees,outlook\n20,sunny\n"))
    assert found.stdout == "go\t1.000000\n"
    table = "degrees,outlook,play\n20,sunny,go\n"
    measured = ok(linnet_command("evaluate", model, "-", "--label", "play", "--json", stdin=table))
    assert json.loads(measured.stdout)["accuracy"] == 1.0


def test_rows_can_be_learnt_from_standard_input(linnet_command: Command, tmp_path: Path) -> None:
    model = tmp_path / "w.linnet"
    found = ok(linnet_command("train", "-", "-o", model, stdin=WEATHER))
    assert "<stdin>: rows of values (table)" in found.stderr
    assert linnet.load(model).reading["names"] == ["outlook", "degrees", "windy", "play"]
