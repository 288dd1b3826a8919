"""The lab's server: who may ask, what is refused, and how that is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from linnet.lab.export import files
from linnet.lab.views import TITLES
from linnet.serve.limits import Limits

JSON = {"content_type": "application/json"}


def test_the_page_may_load_its_own_modules_and_nothing_else(lab: Any) -> None:
    status, headers, body = lab.request("GET", "/")
    policy = headers["content-security-policy"]
    assert status == 200
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert "http:" not in policy and "https:" not in policy and "*" not in policy
    assert b"http://" not in body and b"https://" not in body
    for name in ("frame.js", "draw.js", "controls.js", "style.css", "plane.js"):
        status, headers, body = lab.request("GET", f"/page/{name}")
        assert status == 200 and len(body) > 500
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/page/frame.js", "/ask/plane", "/export"])
def test_a_name_of_another_site_that_points_here_gets_no_answer(
    lab: Any, method: str, path: str
) -> None:
    for host in ("evil.example", f"evil.example:{lab.port}", "127.0.0.1.evil.example", ""):
        status, _, body = lab.request(method, path, b"{}", host=host, **JSON)
        assert status == 421, host
        assert json.loads(body)["title"] == "Misdirected Request"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", ""])
def test_a_page_of_another_origin_gets_no_answer(lab: Any, origin: str) -> None:
    assert lab.ask("plane", {"n": 4}, origin=origin)[0] == 403
    assert lab.request("POST", "/export", b"{}", origin=origin, **JSON)[0] == 403
    assert lab.request("GET", "/page/frame.js", origin=origin)[0] == 403
    other_port = f"http://127.0.0.1:{lab.port + 1}"
    assert lab.ask("plane", {"n": 4}, origin=other_port)[0] == 403
    assert lab.ask("plane", {"n": 4}, origin=f"http://127.0.0.1:{lab.port}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_another_site_asks_gets_no_answer(lab: Any, site: str) -> None:
    assert lab.ask("plane", {"n": 4}, sec_fetch_site=site)[0] == 403
    assert lab.request("GET", "/page/plane.js", sec_fetch_site=site)[0] == 403
    link = {"sec_fetch_site": site, "sec_fetch_mode": "navigate"}
    assert lab.request("GET", "/", **link)[0] == 200, "a link to the page may be followed"
    assert lab.ask("plane", {"n": 4}, **link)[0] == 403


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_what_a_form_can_send_is_not_taken(lab: Any, media: str) -> None:
    assert lab.request("POST", "/ask/plane", b"{}", content_type=media)[0] == 415


def test_a_lab_with_a_token_answers_behind_it_only(start: Callable[..., Any]) -> None:
    with start(token="sesame") as running:
        for path in ("/", "/page/frame.js", "/sesam/", "/sesame2/", "//", "/page/../sesame/"):
            assert running.request("GET", path)[0] == 404, path
        assert running.request("POST", "/ask/plane", b"{}", **JSON)[0] == 404
        assert running.request("GET", "/sesame/")[0] == 200
        assert running.request("POST", "/sesame/ask/plane", b'{"n":4}', **JSON)[0] == 200


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"n": 0}, "n must lie between 4 and 2000"),
        ({"n": 1e9}, "n must lie between 4 and 2000"),
        ({"n": "many"}, "n must be a number, got 'many'"),
        ({"n": True}, "n must be a number"),
        ({"C": 0}, "C must lie between"),
        ({"data": "<b>"}, "data must be one of clouds"),
        ({"learners": []}, "learners must be a list of one to 4"),
        ({"learners": ["svm", "svm"]}, "twice"),
        ({"learners": [["svm"]]}, "learners must be one of"),
        ({"added": [[1, 2]]}, "added must have rows of 3 numbers"),
        ({"added": [[1, 2, 5]]}, "class, 0 or 1"),
        ({"moved": [[4000, 2, 5]]}, "moved must lie between"),
        ({"moved": [[100, 2, 5]]}, "there is no point 100 to move; there are 100"),
        ({"added": [[0, 0, 0]] * 1000}, "at most 300 rows"),
    ],
)
def test_settings_that_mean_nothing_are_told_plainly(
    lab: Any, settings: dict[str, Any], told: str
) -> None:
    status, problem = lab.ask("plane", settings)
    assert status == 422
    assert told in problem["detail"]
    assert problem["type"] == "about:blank" and problem["status"] == 422


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b'"x"', b"\xff", b"NaN"])
def test_what_is_no_object_of_json_is_refused(lab: Any, body: bytes) -> None:
    status, headers, reply = lab.request("POST", "/ask/plane", body, **JSON)
    assert status == 400
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(reply)["detail"]


def test_a_number_that_json_has_not_is_refused(lab: Any) -> None:
    assert lab.request("POST", "/ask/plane", b'{"C": NaN}', **JSON)[0] == 422
    assert lab.request("POST", "/ask/plane", b'{"C": Infinity}', **JSON)[0] == 422


def test_a_long_body_is_refused(start: Callable[..., Any]) -> None:
    with start(limits=Limits(body=1000)) as running:
        assert running.ask("plane", {"x": "y" * 2000})[0] == 413
        assert running.ask("plane", {"n": 4})[0] == 200


@pytest.mark.parametrize(
    "path", ["/page/app.py", "/page/../app.py", "/page/%2e%2e%2fapp.py", "/page/index.html", "/x"]
)
def test_there_is_nothing_but_the_page(lab: Any, path: str) -> None:
    assert lab.request("GET", path)[0] == 404


def test_the_reference_can_be_read_and_nothing_else(lab: Any) -> None:
    status, headers, body = lab.request("GET", "/reference/perceptron")
    assert status == 200 and b"def multiclass" in body
    assert headers["content-type"].startswith("text/plain")
    for name in ("nothing", "..errors", "perceptron.os", "__main__"):
        assert lab.request("GET", f"/reference/{name}")[0] in (404, 422), name


@pytest.mark.parametrize("view", TITLES)
def test_all_that_a_view_names_is_a_link_that_leads_somewhere(lab: Any, view: str) -> None:
    module = files()[f"{view}.js"]
    listed = re.search(r"export const docs = (\[.*?\]);", module, re.DOTALL)
    hrefs = re.findall(r'\["[^"]+", (null|"[^"]+")\]', listed[1])
    assert hrefs and "null" not in hrefs
    for href in hrefs:
        status, _, body = lab.request("GET", f"/{json.loads(href)}")
        assert status == 200 and body, href


def test_a_page_of_the_docs_is_shown_and_nothing_else(lab: Any) -> None:
    status, headers, body = lab.request("GET", "/docs/perceptron.md")
    assert status == 200 and b"<h1>Perceptron</h1>" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    for name in ("nothing.md", "../README.md", "%2e%2e/README.md", "/etc/passwd", "style.css", ""):
        assert lab.request("GET", f"/docs/{name}")[0] in (404, 422), name


def test_a_page_cannot_have_a_file_opened(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from linnet.lab import plane

    seen: list[Any] = []
    monkeypatch.setattr(plane, "answer", lambda settings: seen.append(settings) or {})
    assert lab.ask("plane", {"model": "/etc/passwd"})[0] == 200
    assert seen == [{"model": None}]


def test_every_view_answers_without_settings(lab: Any) -> None:
    for view in TITLES:
        status, answer = lab.ask(view, {})
        assert status == 200, (view, answer)
        assert answer
    assert lab.ask("nothing", {})[0] == 404
