"""The documentation is true: its Python blocks run, its tables are those of the learners."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import linnet
from linnet.public import public_homes

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def _as_session(block: str) -> str:
    """Return a block as an interactive session; plain code becomes one without output."""
    if block.lstrip().startswith(">>>"):
        return block
    return f">>> exec({block!r}, globals())\n"


@each_page
def test_the_python_blocks_of_a_page_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        session = _as_session(match.group(1))
        test = doctest.DocTestParser().get_doctest(session, names, page.name, str(page), line)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        result = runner.run(test, out=report.append, clear_globs=False)
        names = test.globs  # the parser works on a copy
        assert not result.failed, "".join(report)


def test_every_learner_has_a_page_named_like_the_module_it_is_exported_from() -> None:
    for name, module in public_homes().items():
        if module.startswith("linnet.learn.") and hasattr(getattr(linnet, name), "fit"):
            page = ROOT / "docs" / f"{module.rpartition('.')[2]}.md"
            assert page.exists(), f"{name} has no page {page.name}"


def _rows(heading: str) -> dict[str, list[str]]:
    """Return the rows, without the name, of the table in docs/learners.md with this heading."""
    lines = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8").splitlines()
    first = lines.index(heading) + 2
    rows = {}
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        rows[name.strip("`")] = [cell.replace("\\|", "|") for cell in cells]
    return rows


def test_every_item_of_the_specification_is_tested_or_said_to_be_quoted() -> None:
    spec = importlib.util.spec_from_file_location(
        "build_spec_coverage", ROOT / "docs" / "build_spec_coverage.py"
    )
    assert spec is not None and spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    marked = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        for arguments in re.findall(r"mark\.spec\(([^)]*)\)", file.read_text(encoding="utf-8")):
            marked |= set(re.findall(r'"([A-Z]-\d+)"', arguments))
    items = set(builder.every_item())
    assert marked <= items
    assert items - marked == set(builder.QUOTED)
    page = (ROOT / "docs" / "spec_coverage.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| (\[[A-Z]-\d+\]\(\S+\)) \|", page, re.MULTILINE))
    assert listed == set(map(builder.link, items))
    assert "## Not covered" not in page


TABLE_1_1 = (
    "| learner | kind | misspecified | overlapping | training | hyper-parameters "
    "| accuracy | seconds |"
)
TABLE_OF_S3 = "| learner | boundary | kind | models | smoothing | independence |"


@pytest.mark.spec("T-01", "T-08", "A-78")
def test_the_table_of_the_first_lecture_is_printed_and_measured() -> None:
    rows = _rows(TABLE_1_1)
    five = ("MultinomialNB", "Perceptron", "MIRA", "MaxEnt", "SVM")
    columns = list(zip(*(rows[name] for name in five), strict=True))
    assert columns[0] == ("generative", *4 * ("discriminative",))
    assert columns[1] == ("bad", "fair (may not converge)", "good", "good", "good")
    assert columns[2] == ("fair", "good", "good", "good", "good")
    assert columns[3] == ("closed form", "easy", "easy", "fair", "fair")
    assert columns[4] == ("1", "0", "1", "1", "1")
    for name, row in rows.items():
        if name != "LinearRegression":
            assert re.fullmatch(r"\d+\.\d %¹?", row[5]), name
            assert 0 < float(row[6]) < 100, name
    text = " ".join((ROOT / "docs" / "learners.md").read_text(encoding="utf-8").split())
    assert "counts no hyperparameter for the perceptron: rounds, steps and averaging" in text


@pytest.mark.spec("T-02", "T-03", "T-08")
def test_the_table_of_the_third_lecture_is_printed() -> None:
    rows = _rows(TABLE_OF_S3)
    assert rows["MultinomialNB"] == ["linear", "generative", "P(x, y)", "crucial", "strong"]
    assert rows["Perceptron"] == ["linear", "discriminative", "none", "optional", "none"]
    assert rows["MaxEnt"] == ["linear", "discriminative", "P(y | x)", "optional", "none"]


@pytest.mark.spec("T-08", "C-11")
def test_every_learner_that_predicts_states_its_properties_and_both_tables_print_them() -> None:
    first, second = _rows(TABLE_1_1), _rows(TABLE_OF_S3)
    keys = {
        "kind": (first, 0), "misspecified": (first, 1), "overlapping_features": (first, 2),
        "training": (first, 3), "hyperparameters": (first, 4), "boundary": (second, 0),
        "models": (second, 2), "smoothing": (second, 3), "independence": (second, 4),
    }  # fmt: skip
    learners = {
        name: getattr(linnet, name)
        for name, module in public_homes().items()
        if module.startswith("linnet.learn.") and hasattr(getattr(linnet, name), "predict")
    }
    assert set(learners) == set(first) == set(second)
    for name, learner in learners.items():
        assert set(learner.properties) == set(keys), name
        for key, (rows, column) in keys.items():
            assert rows[name][column] == str(learner.properties[key]), (name, key)
