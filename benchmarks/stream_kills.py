"""Does a run over many files end the same however often it is killed? SIGKILL at random moments.

Files of generated texts are filtered, predicted or converted, once without a break and once by runs
that are killed and resumed, one kill after the other. The outputs are compared byte for byte; no
other file may be left.

    python benchmarks/stream_kills.py                           # 100 kills of each verb (long)
    python benchmarks/stream_kills.py --kills 5 --verbs filter
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from linnet.data.zipf import write_corpus

FILES, DOCUMENTS = 12, 4000


def run(*words: object) -> float:
    """Run a command to its end and return the seconds it took."""
    began = time.perf_counter()
    subprocess.run(command(*words), check=True, capture_output=True)
    return time.perf_counter() - began


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "linnet", *map(str, words)]


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder, hidden ones as well."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def words_of(verb: str, model: Path, files: list[Path], out: Path) -> list[object]:
    if verb == "filter":
        kept = ["-o", out / "kept", "--dropped", out / "dropped", "--keep", "c0>=0.5"]
        return ["filter", model, *files, *kept]
    if verb == "predict":
        return ["predict", model, *files, "-q", "-o", f"{out}/"]
    return ["convert", *files, f"{out}/", "--to", "jsonl"]


def killed(verb: str, kills: int, folder: Path, model: Path, files: list[Path]) -> None:
    """Kill a verb so many times and compare; a run that is finished begins anew."""
    whole, broken = folder / "whole", folder / "broken"
    seconds = run(*words_of(verb, model, files, whole))
    expected = contents(whole)
    words = [*words_of(verb, model, files, broken), "--resume"]
    runs = 0
    for _ in range(kills):
        process = subprocess.Popen(
            command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(random.uniform(0.2, 1.0) * seconds)
        process.kill()
        process.wait()
        if process.returncode == 0 or contents(broken) == expected:
            runs += 1
            assert contents(broken) == expected, "the finished run differs"
            shutil.rmtree(broken)
    run(*words)
    assert contents(broken) == expected, "the resumed run differs"
    shutil.rmtree(broken)
    shutil.rmtree(whole)
    print(f"{verb:8} {kills} kills, {runs + 1} runs finished, all the same", flush=True)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--verbs", default="filter,predict,convert")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"part-{number:02}.tsv" for number in range(FILES)]
        for number, file in enumerate(files):
            write_corpus(file, DOCUMENTS, mean_length=30, seed=number)
        run("train", files[0], "-C", "1", "-o", folder / "model.linnet")
        for verb in args.verbs.split(","):
            killed(verb, args.kills, folder, folder / "model.linnet", files)


if __name__ == "__main__":
    main()
