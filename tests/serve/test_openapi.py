"""The description is true: requests that keep to it are answered, others refused, as it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MEMBERS = {
    "reviews": "text", "topics": "text", "bags": "bag", "vectors": "vector", "weather": "row",
    "names": "text",
}  # fmt: skip


def test_every_model_is_described_with_its_own_limits(everything: Any) -> None:
    described = everything.get("/openapi.json").json
    assert described["openapi"].startswith("3.1")
    posts = ("/predict", "/tag", "/explain")
    requests = [
        body
        for path in posts
        for body in described["paths"][path]["post"]["requestBody"]["content"]["application/json"][
            "schema"
        ]["anyOf"]
    ]
    for name, member in MEMBERS.items():
        own = [r for r in requests if r["properties"]["model"]["const"] == name]
        assert any(member in r["properties"] for r in own), name
    topics = [r for r in requests if r["properties"]["model"]["const"] == "topics"]
    assert not any("abstain" in r["properties"] for r in topics)


def test_without_a_token_none_is_described(everything: Any) -> None:
    assert "securitySchemes" not in everything.get("/openapi.json").json["components"]


@pytest.mark.slow
def test_requests_made_from_the_description_are_answered_as_it_says(
    everything: Any, tmp_path: Path
) -> None:
    refused = '[400, 401, 404, 405, 406, 408, 413, 415, 422, 429, "5xx"]'  # too long is refused too
    (tmp_path / "schemathesis.toml").write_text(
        f"[checks.negative_data_rejection]\nexpected-statuses = {refused}\n"
    )
    start = "from schemathesis.cli import schemathesis; schemathesis()"
    bounds = ["--phases", "coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--no-shrink"]
    more = ["--generation-database", "none", "--no-color"]
    url = f"{everything.url}/openapi.json"
    found = subprocess.run(
        [sys.executable, "-c", start, "run", url, *bounds, *more],
        cwd=tmp_path,  # it leaves a cache where it runs
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stdout[-5000:] + found.stderr[-2000:]
    assert "Operations:       7 selected" in found.stdout
    assert everything.get("/health").status == 200
