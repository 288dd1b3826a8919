"""Files by the workers of a cluster: the same outputs as on one machine, whatever is lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.data.files import write_atomically
from linnet.errors import ClusterError, DataError
from linnet.scale import cluster_client, filter_parts
from linnet.scale.parts import finished_parts
from linnet.stream.parts import Part


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(part) for part in arguments])


def address(client: Any) -> str:
    found: str = client.scheduler.address
    return found


def test_filtering_on_a_cluster_gives_the_files_of_one_machine(
    cluster: Any, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    wishes: Any = {"keep": ["hq>=0.5"], "audit_by": ["source", "length"]}
    alone = filter_parts(
        quality, crawl, tmp_path / "alone", dropped=tmp_path / "rest alone", **wishes
    )
    many = filter_parts(
        quality, crawl, tmp_path / "many", dropped=tmp_path / "rest", client=cluster, **wishes
    )
    assert contents(tmp_path / "many") == contents(tmp_path / "alone")
    assert contents(tmp_path / "rest") == contents(tmp_path / "rest alone")
    assert many.total.to_dict() == alone.total.to_dict()
    assert [part.source for part in many.parts] == list(map(str, crawl))


def test_a_worker_killed_while_it_filters_loses_and_doubles_nothing(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    filter_parts(quality, crawl, tmp_path / "alone", keep=["hq"])
    with cluster_client("local:3") as client:
        victims = list(client.run(os.getpid).values())
        filtered: list[str] = []

        def kill_one(file: str, rows: int) -> None:
            if not filtered:
                os.kill(victims[0], signal.SIGKILL)
            filtered.append(file)

        done = filter_parts(
            quality, crawl, tmp_path / "many", keep=["hq"], client=client, watch=kill_one
        )
    assert contents(tmp_path / "many") == contents(tmp_path / "alone")
    assert sorted(filtered) == list(map(str, crawl))
    assert sum(done.total.rows) == sum(path.read_text().count("\n") for path in crawl)


def test_predicting_on_a_cluster_answers_every_row_once(
    cluster: Any, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    settings = ("--top", 2, "--format", "jsonl")
    alone, many = f"{tmp_path}/alone/", f"{tmp_path}/many/"
    assert run("predict", quality, *crawl, "-o", alone, *settings).exit_code == 0
    found = run("predict", quality, *crawl, "-o", many, *settings, "--cluster", address(cluster))
    assert found.exit_code == 0, found.output
    assert contents(Path(many)) == contents(Path(alone))


def test_a_process_of_its_own_reaches_a_cluster_by_its_address(
    cluster: Any, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", "from linnet.cli import main; main()"]
    wishes = ["predict", quality, *crawl[:2], "-o", f"{tmp_path}/many/"]
    found = subprocess.run(
        [*command, *map(str, wishes), "--cluster", address(cluster)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert len(contents(tmp_path / "many")) == 2


def test_measuring_on_a_cluster_gives_the_report_of_one_file(
    cluster: Any, quality: str, tmp_path: Path
) -> None:
    rows = [f"{('hq', 'lq')[n % 2]}\t{('fine', 'poor', 'page')[n % 3]} {n}\n" for n in range(60)]
    for part in range(3):
        (tmp_path / f"test-{part}.tsv").write_text("".join(rows[20 * part : 20 * part + 20]))
    (tmp_path / "whole.tsv").write_text("".join(rows))
    alone = run("evaluate", quality, tmp_path / "whole.tsv", "--json")
    pattern = tmp_path / "test-*.tsv"
    many = run("evaluate", quality, pattern, "--json", "--cluster", address(cluster))
    assert many.exit_code == 0, many.output
    assert json.loads(many.stdout) == json.loads(alone.stdout)
    refused = run("evaluate", quality, pattern, "--mistakes", 3, "--cluster", address(cluster))
    assert "closer look" in refused.stderr


def test_training_on_a_cluster_gives_the_model_of_one_file(cluster: Any, tmp_path: Path) -> None:
    rows = [f"{('hq', 'lq')[n % 2]}\t{('fine', 'poor')[n % 2]} page {n % 7}\n" for n in range(60)]
    for part in range(3):
        (tmp_path / f"part-{part}.tsv").write_text("".join(rows[20 * part : 20 * part + 20]))
    (tmp_path / "whole.tsv").write_text("".join(rows))
    settings = ("--learner", "nb", "--quiet")
    one, many = tmp_path / "one.linnet", tmp_path / "many.linnet"
    assert run("train", tmp_path / "whole.tsv", "-o", one, *settings).exit_code == 0
    pattern, where = tmp_path / "part-*.tsv", ("--cluster", address(cluster))
    found = run("train", pattern, "-o", many, *settings, *where)
    assert found.exit_code == 0, found.output
    texts = ["a fine page", "poor 3", "page"]
    expected = linnet.load(one).predict_proba(texts)
    assert (linnet.load(many).predict_proba(texts) == expected).all()
    refused = run("train", pattern, "-o", many, "--holdout", 0.2, *where)
    assert "--valid" in refused.stderr


def test_comparing_on_a_cluster_gives_the_scores_of_one_machine(
    cluster: Any, tmp_path: Path
) -> None:
    words = ("fine", "poor", "page", "fine poor")
    rows = [f"{('hq', 'lq')[n % 2]}\t{words[n % 3]} {words[n % 4]} {n % 7}\n" for n in range(90)]
    (tmp_path / "data.tsv").write_text("".join(rows))
    arguments = ("compare", tmp_path / "data.tsv", "--learners", "nb,perceptron", "--json")
    here, there = run(*arguments), run(*arguments, "--cluster", address(cluster))
    assert there.exit_code == 0, there.output
    tables = [json.loads(found.stdout)["rows"] for found in (here, there)]
    scores = [[(row["name"], row["score"]) for row in table] for table in tables]
    assert scores[0] == scores[1] and len(scores[0]) == 2


def test_a_corrupt_part_is_told_with_its_worker_and_the_rest_is_kept(
    cluster: Any, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    whole = crawl[3].read_text()
    crawl[3].write_text(whole + '{"text": \n')
    arguments = (quality, *crawl, "-o", tmp_path / "out", "--keep", "hq", "--cluster")
    found = run("filter", *arguments, address(cluster))
    line = whole.count("\n") + 1
    assert found.exit_code == 1
    assert f"1 of 8 parts failed: {crawl[3]} on tcp://" in found.stderr
    assert f"part-3.jsonl:{line}" in found.stderr and "--resume" in found.stderr
    names = {path.name for path in (tmp_path / "out").glob("part-*")}
    assert names == {path.name for path in crawl} - {"part-3.jsonl"}
    crawl[3].write_text(whole)
    resumed = run("filter", *arguments, address(cluster), "--resume", "--json")
    assert json.loads(resumed.stdout)["passed_over"] == 7
    filter_parts(quality, crawl, tmp_path / "alone", keep=["hq"])
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")


@pytest.mark.parametrize(
    "error, says",
    [
        (MemoryError("for 9 GB"), "not enough memory for 9 GB"),
        (OSError(28, "No space left on device", "out/part-2.jsonl"), "No space left on device"),
        (PermissionError(13, "Permission denied", "out/part-2.jsonl"), "Permission denied"),
    ],
)
def test_what_a_worker_lacks_is_told_and_the_rest_is_finished(
    cluster: Any, crawl: list[Path], error: Exception, says: str
) -> None:
    def fails(part: Part) -> str:
        if part.source.endswith("part-2.jsonl"):
            raise error
        return os.path.basename(part.source)

    finished = []
    parts = [Part(str(path), ()) for path in crawl]
    with pytest.raises(ClusterError, match=r"part-2.jsonl on tcp://.*" + says):
        for _, _, name in finished_parts(parts, fails, cluster):
            finished.append(name)
    assert len(finished) == len(crawl) - 1


def test_a_place_that_no_worker_can_write_to_is_told_in_one_sentence(
    cluster: Any, crawl: list[Path], tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where a folder is expected")
    targets = [tmp_path / f"done-{n}" for n in range(len(crawl))]
    targets[2] = taken / "done-2"
    parts = [Part(str(path), (to,)) for path, to in zip(crawl, targets, strict=True)]

    def copies(part: Part) -> None:
        with write_atomically(part.targets[0]) as out:
            out.write("whole")

    with pytest.raises(ClusterError) as caught:
        list(finished_parts(parts, copies, cluster))
    assert re.fullmatch(
        rf"1 of 8 parts failed: {crawl[2]} on tcp://\S+ \(\d\): cannot write {targets[2]}: "
        rf"there is no folder {taken}; finished parts are kept, --resume does the others",
        str(caught.value),
    )
    assert [to.exists() for to in targets] == [n != 2 for n in range(len(crawl))]


def test_a_worker_without_the_model_gets_no_parts_and_the_others_do_them(
    cluster: Any, crawl: list[Path]
) -> None:
    worker, lacking = next(iter(cluster.run(os.getpid).items()))

    def asks_for_the_model(part: Part) -> str:
        from linnet.scale.loading import loaded_model

        if os.getpid() == lacking:
            loaded_model("/nowhere/quality.linnet", 1)
        sleep(0.2)  # long enough for the one that fails at once to be idle
        return os.path.basename(part.source)

    parts = [Part(str(path), ()) for path in crawl * 2]
    with pytest.warns(UserWarning, match=f"the worker {worker}.*/nowhere/quality.linnet"):
        done = [name for *_, name in finished_parts(parts, asks_for_the_model, cluster)]
    assert sorted(done) == sorted(path.name for path in crawl * 2)


def test_a_part_whose_only_worker_is_lost_is_done_by_another(
    cluster: Any, crawl: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.scale import parts as room

    def works(part: Part) -> str:
        return os.path.basename(part.source)

    monkeypatch.setattr(room, "_PATIENCE", 0.5)
    part, lost = Part(str(crawl[0]), ()), "tcp://127.0.0.1:9"
    run = room._Run([], works, cluster)
    waits = cluster.submit(room._attempt, works, part, pure=False, workers=[lost])
    run.running[waits] = room._Try(part, [], only=[lost])
    assert [name for *_, name in run.finished()] == [crawl[0].name]


def test_a_part_that_kills_its_workers_is_told_and_the_rest_is_finished(crawl: list[Path]) -> None:
    import dask

    def dies(part: Part) -> str:
        if part.source.endswith("part-2.jsonl"):
            os.kill(os.getpid(), signal.SIGKILL)
        return os.path.basename(part.source)

    finished = []
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_client("local:2") as client,
        pytest.raises(ClusterError, match=r"part-2.jsonl on tcp://.*memory"),
    ):
        for _, _, name in finished_parts([Part(str(path), ()) for path in crawl], dies, client):
            finished.append(name)
    assert len(finished) == len(crawl) - 1


def test_a_scheduler_that_is_gone_is_said_and_finished_parts_are_kept(crawl: list[Path]) -> None:
    from distributed import Client, LocalCluster

    def waits(part: Part) -> None:
        sleep(0.3)

    local = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    parts, finished = [Part(str(path), (path.with_suffix(".out"),)) for path in crawl], []
    with (
        Client(local) as client,
        pytest.raises(ClusterError, match=r"the scheduler is gone.*part-.*--resume"),
    ):
        for part, *_ in finished_parts(parts, waits, client):
            finished.append(part)
            local.close()
    assert finished


def test_addresses_that_cannot_work_are_refused(
    quality: str, crawl: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.scale.cluster._PATIENCE", 1)
    arguments = ("filter", quality, crawl[0], "-o", tmp_path / "out", "--keep", "hq", "--cluster")
    assert (
        "no scheduler answers at tcp://127.0.0.1:9" in run(*arguments, "tcp://127.0.0.1:9").stderr
    )
    assert "a local cluster is local:4" in run(*arguments, "local:many").stderr
    assert "no scheduler is at nowhere: an address has a port" in run(*arguments, "nowhere").stderr
    to_a_file = run("predict", quality, crawl[0], "-o", tmp_path / "a.tsv", "--cluster", "local:2")
    assert "end in /" in to_a_file.stderr


def test_a_source_that_changes_while_it_is_read_is_not_finished(
    cluster: Any, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    def change(file: str, rows: int) -> None:
        for path in crawl:
            with path.open("a") as out:
                out.write('{"text": "late"}\n')

    with pytest.raises(DataError, match="changed while it was read"):
        filter_parts(quality, crawl, tmp_path / "out", keep=["hq"], client=cluster, watch=change)
