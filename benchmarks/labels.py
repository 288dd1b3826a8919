"""What do labels cost? A tagger with default features on four tag sets of growing size.

    python benchmarks/labels.py                     # 17, 49, 104 and 459 tags (many minutes)
    python benchmarks/labels.py brown104            # a million tokens, simplified tags
    python benchmarks/labels.py upos xpos           # some of them
    python benchmarks/labels.py brown --share 0.1   # a tenth of the training sentences
    python benchmarks/labels.py brown --learner perceptron

Every row is fitted in a process of its own, whose peak memory it reports; "converged" is the
certified distance from the optimum, and a pass is one evaluation of objective and gradient.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import warnings
from time import perf_counter, process_time
from typing import Any

from real_data import data_root
from timing import at_hand

TAG_SETS = {
    "upos": ("ud_en_ewt/en_ewt-ud-train.conllu.gz", "ud_en_ewt/en_ewt-ud-test.conllu.gz", "upos"),
    "xpos": ("ud_en_ewt/en_ewt-ud-train.conllu.gz", "ud_en_ewt/en_ewt-ud-test.conllu.gz", "xpos"),
    "brown104": ("brown/train.txt.gz", "brown/test.txt.gz", None),
    "brown": ("brown/train.txt.gz", "brown/test.txt.gz", None),
}
COLUMNS = ("tags", "labels", "tokens", "features", "learner", "passes", "seconds", "CPU seconds",
           "s/pass", "peak MB", "converged", "accuracy", "tokens/s")  # fmt: skip


def simplified(tag: str) -> str:
    """Return a tag of brown without the marks of foreign words, titles, headlines and clitics."""
    plain = re.split("-(?:TL|HL|NC)", tag.upper().removeprefix("FW-"))[0]
    return plain.split("+")[0] or tag


def read(name: str, part: int, share: float = 1.0) -> tuple[list[list[str]], list[list[str]]]:
    """Return words and tags; `part` is 0 for training, 1 for test."""
    from linnet.data import read_sequences

    *paths, column = TAG_SETS[name]
    found = read_sequences(data_root() / str(paths[part]), tag=-1 if column is None else column)
    words, tags = found.sentences(), found.tags or []
    if name == "brown104":
        tags = [[simplified(tag) for tag in row] for row in tags]
    n = int(len(words) * share)
    return words[:n], tags[:n]


def measure(name: str, share: float, learner: str, threads: int | None) -> dict[str, Any]:
    import linnet

    warnings.simplefilter("ignore")
    made = {
        "crf": lambda: linnet.CRF(),
        "sgd": lambda: linnet.CRF(solver="sgd", max_iter=20, random_state=0),
        "perceptron": lambda: linnet.StructuredPerceptron(random_state=0),
    }[learner]()
    X, y = read(name, 0, share)
    tagger = linnet.SequenceTagger(made, n_threads=threads)
    began, worked = perf_counter(), process_time()
    tagger.fit(X, y)
    seconds, worked = perf_counter() - began, process_time() - worked
    fitted = tagger.learner_
    X_test, y_test = read(name, 1)
    began = perf_counter()
    tagger.predict(X_test)
    tagging = perf_counter() - began
    passes = int(fitted.n_iter_)
    optimality = float(getattr(fitted, "optimality_", float("nan")))
    return {
        "tags": name,
        "labels": len(tagger.classes_),
        "tokens": sum(map(len, X)),
        "features": tagger.model_.n_features,
        "learner": learner,
        "passes": passes,
        "seconds": round(seconds, 1),
        "CPU seconds": round(worked, 1),
        "s/pass": round(float(fitted.history_["seconds"][-1]) / passes, 3),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "converged": f"{optimality:.1e}" if learner == "crf" else "-",
        "accuracy": f"{100 * tagger.score(X_test, y_test):.2f}",
        "tokens/s": int(sum(map(len, X_test)) / tagging),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tags", nargs="*", default=[], choices=[*TAG_SETS, []])
    parser.add_argument("--share", type=float, default=1.0, help="of the training sentences")
    parser.add_argument("--learner", default="crf", choices=("crf", "sgd", "perceptron"))
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        found = measure(options.tags[0], options.share, options.learner, options.threads)
        print(json.dumps(found))
        return
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for name in options.tags or TAG_SETS:
        command = [sys.executable, __file__, name, "--one", "--learner", options.learner,
                   "--share", str(options.share)]  # fmt: skip
        if options.threads:
            command += ["--threads", str(options.threads)]
        at_hand(2048)
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        row = json.loads(answer.splitlines()[-1])
        print("| " + " | ".join(str(row[column]) for column in COLUMNS) + " |", flush=True)


if __name__ == "__main__":
    main()
