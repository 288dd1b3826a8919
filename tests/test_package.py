"""The package as a whole: what it exports, what importing it costs, who may call the core."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module, metadata
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

import linnet
from linnet.public import public_class

SOURCE = Path(linnet.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.name != "__main__.py"
)
STUBBED = ("data", "evaluate", "explain", "explain.plots", "reference", "text")
MAY_CALL_THE_CORE = (
    "linnet.compat.pycrfsuite.fitting",  # CRFsuite's objective, without starts and stops
    "linnet.compat.pycrfsuite.problem",  # and what it is computed over
    "linnet.foreign",
    "linnet.data.columns",  # texts that are alike
    "linnet.data.copies",  # texts that are alike
    "linnet.data.formats.blocks",  # what is no UTF-8
    "linnet.data.formats.running_text",  # word boundaries
    "linnet.data.zipf",  # words, spelled
    "linnet.learn",
    "linnet.scale.training.chain_losses",  # those of sentences that are elsewhere
    "linnet.scale.training.losses",  # and of rows
    "linnet.text",
)
ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"(?m)^ {4,}([A-Za-z][\w., ]*?) {2,}(linnet\.[\w.]+)", ARCHITECTURE)


def _loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that are loaded after a statement in a new interpreter."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    return set(run.stdout.split())


def _imported_names(path: Path) -> set[str]:
    """Return the full names that a source file imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("module", MODULES)
def test_every_module_can_be_imported(module: str) -> None:
    import_module(module)


def test_every_exported_name_exists_once_and_is_listed_by_dir() -> None:
    assert len(set(linnet.__all__)) == len(linnet.__all__)
    for name in linnet.__all__:
        assert getattr(linnet, name) is not None
        assert name in dir(linnet)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="no_such_learner"):
        _ = linnet.no_such_learner


def test_the_version_is_that_of_the_installed_distribution() -> None:
    assert linnet.__version__ == metadata.version("linnet")


def test_types_are_announced_to_type_checkers() -> None:
    assert files("linnet").joinpath("py.typed").is_file()


@pytest.mark.parametrize("statement", ["import linnet", "import linnet.data"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    heavy = {"matplotlib", "numpy", "pyarrow", "rich", "scipy", "sklearn", "typer"}
    assert not heavy & _loaded_by(statement)


def test_threads_may_ask_for_public_names_at_the_same_time() -> None:
    code = """
import sys, threading, linnet
from concurrent.futures import ThreadPoolExecutor
sys.setswitchinterval(1e-5)
names = ["Perceptron", "SVM", "MaxEnt", "TextClassifier", "CRF", "evaluate"]
together = threading.Barrier(len(names))
def ask(name):
    together.wait()
    return getattr(linnet, name)
with ThreadPoolExecutor(len(names)) as threads:
    print(len(list(threads.map(ask, names))))
"""
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
        )
        assert (run.returncode, run.stdout) == (0, "6\n"), run.stderr


def test_no_module_waits_for_a_lazy_name_while_it_is_imported() -> None:
    """Else two threads could wait for each other: for the names, and for the module."""
    lazy = {"linnet", *(f"linnet.{name}" for name in STUBBED)}
    for path in SOURCE.rglob("*.py"):
        if "cli" in path.relative_to(SOURCE).parts:
            continue  # no lazy name leads there
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ImportFrom) and node.module in lazy:
                listed = set(import_module(node.module).__all__)
                assert not listed & {alias.name for alias in node.names}, path


def test_only_the_rooms_next_to_the_core_import_it() -> None:
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        if not module.startswith(MAY_CALL_THE_CORE):
            core = {name for name in _imported_names(path) if name.startswith("linnet._core")}
            assert not core, f"{module} imports {core}"


@pytest.mark.parametrize("package", ["linnet", *(f"linnet.{name}" for name in STUBBED)])
def test_a_package_exports_what_its_stub_lists(package: str) -> None:
    module = import_module(package)
    stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    listed = {line.split()[-1] for line in stub.splitlines() if " as " in line}
    assert listed <= set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        is_module = isinstance(getattr(module, name), ModuleType)
        assert is_module or f"from {package} import {name} as" not in stub


def test_a_public_name_that_is_no_class_of_that_room_is_no_public_class() -> None:
    assert public_class("CRF", within="linnet.learn") is linnet.CRF
    for name in ("load", "kernels", "data", "no_such_learner", "__class__", ""):
        assert public_class(name) is None
    assert public_class("TextClassifier", within="linnet.learn") is None


def test_the_modules_that_the_architecture_names_exist() -> None:
    modules = set(re.findall(r"linnet(?:\.[a-z_]+)+", ARCHITECTURE))
    assert len(modules) > 30
    for module in modules:
        import_module(module)


@pytest.mark.parametrize(("names", "module"), STEPS)
def test_a_step_of_the_walk_stands_where_the_architecture_says(names: str, module: str) -> None:
    for name in names.split(", "):
        step = import_module(module)
        for part in name.split("."):
            step = getattr(step, part)


def test_both_walks_take_at_most_half_of_thirty_steps() -> None:
    walks = re.split(r"(?m)^ {4}(?=\S)", ARCHITECTURE.split("## The walk of a document")[1])[1:]
    steps = [len(re.findall(r" {2,}linnet\.", walk)) for walk in walks]
    assert len(steps) >= 4
    assert max(steps) <= 15


def test_every_verb_of_the_command_line_has_a_file_of_its_own() -> None:
    from typer.main import get_command

    from linnet.cli.app import app

    verbs = set(get_command(app).list_commands(None))
    files = {path.stem for path in (SOURCE / "cli").glob("*.py")}
    assert {"train", "predict", "evaluate", "explain", "inspect", "compare", "filter"} <= verbs
    assert verbs <= files


def test_every_room_has_a_folder_of_tests() -> None:
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {"data", "text", "learn", "model", "cli"} <= rooms
    assert rooms <= {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}


@pytest.mark.parametrize("stub", sorted(SOURCE.rglob("__init__.pyi")), ids=lambda p: p.parent.name)
def test_no_public_name_is_hidden_by_a_module_of_the_same_name(stub: Path) -> None:
    names = re.findall(r"from (\S+) import (\w+) as", stub.read_text(encoding="utf-8"))
    package = ".".join(stub.parent.relative_to(SOURCE.parent).parts)
    inside = {path.stem for path in stub.parent.glob("*.py")}
    inside |= {path.parent.name for path in stub.parent.glob("*/__init__.py")}
    assert [name for home, name in names if home != package and name in inside] == []


PEERS = ("fasttext", "vowpal", "crfsuite", "liblinear", "wapiti", "spacy", "usaddress")


def installed_by(extra: str) -> list[str]:
    """Return the packages of an extra, and of the extras that it names, without their versions."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    packages: list[str] = []
    for wanted in extras[extra]:
        ours = re.fullmatch(r"linnet\[(.+)\]", wanted)
        if ours is None:
            packages.append(re.split(r"[<>=;\[ ]", wanted)[0])
        else:
            packages += [name for one in ours[1].split(",") for name in installed_by(one)]
    return packages


def test_the_pages_are_built_without_the_peers() -> None:
    assert "mkdocs" in installed_by("docs") and "matplotlib" in installed_by("docs")
    assert not [name for name in installed_by("docs") if any(peer in name for peer in PEERS)]
    assert [name for name in installed_by("test") if any(peer in name for peer in PEERS)]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^docs: \.venv/docs ", makefile, re.M)  # nothing else is installed for them
    assert re.search(r"^\.venv/docs: EXTRAS := linnet\[docs\]$", makefile, re.M)
