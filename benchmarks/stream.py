"""One pass over a file, from plain TSV to test predictions: linnet beside Vowpal Wabbit.

Each contender runs in a process of its own; importing is not counted. Vowpal Wabbit gets its own
format ready made: its conversion from TSV, which its users must write, is not counted, linnet's
reading of the TSV is. Peak memory is that of the whole process; pandas, which scikit-learn imports
where it is installed and nobody here needs, is left out of it.

With ``--kills N`` the training is killed N times at random moments and resumed; the model file must
be that of a run that nobody disturbed.

    python benchmarks/stream.py TRAIN.tsv TEST.tsv [--repeats 5] [--kills 100]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

WORDS = re.compile(r"\w\w+")
#: What a worker prints last.
LINNET = """
import json, resource, sys, time
sys.modules["pandas"] = None  # scikit-learn imports it wherever it is; linnet does not need it
import linnet, linnet.model.text_classifier, linnet.stream.training
from linnet.data.examples import stream_examples
from linnet.data.recognise import sniff
from linnet.stream.ahead import ahead
sniff(b"pos\\ta fine film\\nneg\\ta bore\\n", "")  # imports the formats
train, test = sys.argv[1:3]
began = time.perf_counter()
model = linnet.fit_stream(linnet.TextClassifier(), train).model_
learned = time.perf_counter()
right = n = 0
for block in ahead(stream_examples(test, block_bytes=1 << 20)):
    answers = model.predict(block.X).tolist()
    right += sum(map(str.__eq__, answers, block.y))
    n += len(answers)
ended = time.perf_counter()
print(json.dumps({"train": learned - began, "predict": ended - learned, "accuracy": right / n,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
VW = """
import json, resource, sys, time
from vowpalwabbit import Workspace
train, test, folder = sys.argv[1:4]
gold = [line.split(" ", 1)[0] for line in open(test, encoding="utf-8")]
began = time.perf_counter()
options = "--loss_function logistic --ngram 2 -b 22 --quiet"
Workspace(f"-d {train} {options} -f {folder}/m.vw").finish()
learned = time.perf_counter()
Workspace(f"-t -d {test} -i {folder}/m.vw --quiet -p {folder}/answers").finish()
answers = ["1" if float(line) > 0 else "-1" for line in open(f"{folder}/answers")]
ended = time.perf_counter()
right = sum(map(str.__eq__, answers, gold))
print(json.dumps({"train": learned - began, "predict": ended - learned,
                  "accuracy": right / len(gold),
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def worker(code: str, *arguments: object) -> dict[str, float]:
    """Return what a process of its own measured."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    measured: dict[str, float] = json.loads(printed.splitlines()[-1])
    return measured


def to_vw(source: Path, target: Path) -> Path:
    """Write the format of Vowpal Wabbit, in the order of the file."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for line in lines:
            label, _, text = line.rstrip("\n").partition("\t")
            number = "1" if label == "pos" else "-1"
            out.write(f"{number} | {' '.join(WORDS.findall(text.lower()))}\n")
    return target


def side_by_side(train: Path, test: Path, repeats: int) -> None:
    """Print seconds, accuracy and memory of both, taken in turns."""
    with tempfile.TemporaryDirectory() as folder:
        runs: dict[str, list[dict[str, float]]] = {"linnet": []}
        converted = ()
        try:
            import vowpalwabbit  # noqa: F401

            runs["Vowpal Wabbit"] = []
            converted = (to_vw(train, Path(folder, "a.vw")), to_vw(test, Path(folder, "b.vw")))
        except ImportError:
            print("Vowpal Wabbit is not installed: pip install vowpalwabbit")
        for _ in range(repeats):
            runs["linnet"].append(worker(LINNET, train, test))
            if converted:
                runs["Vowpal Wabbit"].append(worker(VW, *converted, folder))
    print(f"{'':14} {'train':>7} {'predict':>8} {'both':>7} {'accuracy':>9} {'peak':>8}")
    for name, measured in runs.items():
        best = {key: median(run[key] for run in measured) for key in measured[0]}
        both = median(run["train"] + run["predict"] for run in measured)
        print(
            f"{name:14} {best['train']:6.2f}s {best['predict']:7.2f}s {both:6.2f}s "
            f"{100 * best['accuracy']:7.2f} % {best['peak']:5.0f} MB"
        )


def killed(train: Path, kills: int) -> None:
    """Kill a run again and again, and compare what it comes to with a run left in peace."""
    code = (
        "import sys; sys.argv[0] = 'linnet'; from linnet.stream import limits, run;"
        "limits.BLOCK = 1 << 18; run._SECONDS = 0.0;"
        "from linnet.cli import main; main()"
    )
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder, "whole.linnet"), Path(folder, "broken.linnet")
        command = [sys.executable, "-c", code, "train", str(train), "--stream", "--hashing", "18",
                   "--passes", "3", "-q", "-o"]  # fmt: skip
        began = time.perf_counter()
        subprocess.run([*command, str(whole)], check=True)
        seconds, rng, done, ended = time.perf_counter() - began, random.Random(0), 0, 0
        while done < kills:
            process = subprocess.Popen([*command, str(broken), "--resume"])
            try:
                process.wait(timeout=rng.uniform(0.1, seconds))
                ended += 1
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
        subprocess.run([*command, str(broken), "--resume"], check=True)
        same = broken.read_bytes() == whole.read_bytes()
        left = sorted(path.name for path in Path(folder).iterdir())
    print(f"{done} kills, {ended} runs that came to their end before: model files", end=" ")
    print("identical" if same else "DIFFERENT", "and left over:", left[2:] or "nothing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    if asked.kills:
        killed(asked.train, asked.kills)
    else:
        side_by_side(asked.train, asked.test, asked.repeats)


if __name__ == "__main__":
    main()
