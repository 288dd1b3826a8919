"""A view as one file, from the command line; and the verb itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import ParameterError
from linnet.lab.export import export_link
from linnet.lab.views import ask, spelled

LINK = "http://127.0.0.1:8010/#plane?n=16&learners=%5B%22svm%22%5D&step=2"


def lab(*arguments: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "linnet", "lab", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_the_command_writes_what_a_link_shows(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert lab("--link", LINK, "--export", str(path)) == ""
    page = path.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="lab">(.*?)</script>', page)[1])
    assert data["exported"]["view"] == "plane"
    assert data["exported"]["state"] == {"n": 16, "learners": ["svm"], "step": 2}
    told = json.loads(spelled(ask("plane", {"n": 16, "learners": ["svm"]})))
    assert data["exported"]["answers"][0]["answer"] == told


@pytest.mark.slow
def test_it_opens_where_the_link_was(visit: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    lab("--link", LINK, "--export", str(path))
    alone = visit(path.as_uri(), offline=True)
    assert "Step 2 of" in alone.page.inner_text("[data-learner=svm]")
    alone.settle(lambda: alone.page.keyboard.press("ArrowRight"))
    assert "Step 3 of" in alone.page.inner_text("[data-learner=svm]")
    alone.settle(lambda: alone.page.get_by_label("C", exact=True).press("ArrowRight"))
    assert "linnet lab computes it" in alone.page.inner_text("#problem")
    assert alone.errors == []


def test_text_of_a_link_cannot_leave_its_place() -> None:
    page = export_link("#plane?n=16&note=" + "%3C/script%3E%3Cscript%3Ehacked()%3C/script%3E")
    assert "</script><script>hacked" not in page
    assert page.count("<script") == 3


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no view 'nothing'"):
        export_link("#nothing")
    path = tmp_path / "page.html"
    assert "n must be a number" in lab("--link", "#plane?n=x", "--export", str(path), code=1)
    assert not path.exists()
    assert "there is no model file" in lab(str(tmp_path / "none.linnet"), code=1)
    assert "--link says what --export writes" in lab("--link", LINK, code=1)


def test_elsewhere_the_link_has_a_token(start_process: Callable[..., Any]) -> None:
    for host, form in (("127.0.0.1", r"open (http://127\.0\.0\.1:\d+/) in"),
                       ("0.0.0.0", r"open http://0\.0\.0\.0:(\d+)/([\w-]{20,})/ in")):  # fmt: skip
        command = [sys.executable, "-m", "linnet", "lab", "--port", "0", "--host", host]
        process = start_process(command, stderr=subprocess.PIPE, text=True)
        said = re.match(form, process.stderr.readline())
        assert said, host
        if host == "0.0.0.0":
            base = f"http://127.0.0.1:{said[1]}"
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{base}/", timeout=60)
            assert urllib.request.urlopen(f"{base}/{said[2]}/", timeout=60).status == 200
        else:
            assert urllib.request.urlopen(said[1], timeout=60).status == 200
        process.terminate()
