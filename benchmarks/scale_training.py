"""Training on a cluster: the model of one machine, how fast, and what becomes of a killed worker.

    python benchmarks/scale_training.py same      # as one machine? imdb, newsgroups20, conll2000
    python benchmarks/scale_training.py speed     # two workers against one
    python benchmarks/scale_training.py small     # what a cluster costs on little data
    python benchmarks/scale_training.py kills     # SIGKILL of one of three workers in the middle
    python benchmarks/scale_training.py mixing    # what parameter mixing costs in accuracy

Clusters are processes of this machine with a thread each.

`same` ends with an error if one answer to a test part is another. Both sides stop at a certificate
of their objective, not at the same weights; a text whose scores are all but equal is then answered
alike only if both certificates are much finer than the default of 1e-4. Texts are learned by
Newton's method on both sides.
"""

from __future__ import annotations

import argparse
import gzip
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import linnet
from linnet.scale import cluster_client, fit
from real_data import data_root

TEXTS = ("imdb", "newsgroups20")
TOL = 1e-8
FINE = 1e-10  # for MaxEnt: at 1e-8, 1 of 25,000 answers on imdb was another


def corpus(name: str, part: str) -> Path:
    """Return a file of a corpus."""
    return next((data_root() / name).glob(f"{part}.t*.gz"))


def text_learners() -> dict[str, Any]:
    """Return what is compared on texts, by name."""
    return {
        "MultinomialNB, counts": lambda: linnet.TextClassifier(
            "nb", weighting="count", norm=None, features="words"
        ),
        "MultinomialNB, tf-idf": lambda: linnet.TextClassifier("nb", features="words"),
        "SVM, C = 0.3": lambda: linnet.TextClassifier(
            linnet.SVM(C=0.3, loss="squared_hinge", multi_class="ovr", tol=TOL, solver="newton"),
            features="words",
        ),
        "MaxEnt, C = 64": lambda: linnet.TextClassifier(
            linnet.MaxEnt(C=64.0, tol=FINE, solver="newton"), features="words"
        ),
    }


def taggers() -> dict[str, Any]:
    """Return what is compared on sentences, by name."""
    return {
        "HMM": lambda: linnet.SequenceTagger("hmm"),
        "CRF": lambda: linnet.SequenceTagger(linnet.CRF(tol=TOL), supply_columns=False),
    }


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and the seconds it took."""
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def answers(estimator: Any, name: str) -> list[Any]:
    """Return the answers to the test part of a corpus, label by label or tag by tag."""
    if name == "conll2000":
        test = linnet.data.read_sequences(corpus(name, "test"))
        return [tag for tags in estimator.predict(test) for tag in tags]
    test = linnet.data.read_examples(corpus(name, "test"))
    return list(estimator.predict(test.X))


def fit_here(estimator: Any, name: str) -> Any:
    """Fit on this machine without a cluster."""
    if name == "conll2000":
        return estimator.fit(linnet.data.read_sequences(corpus(name, "train")))
    train = linnet.data.read_examples(corpus(name, "train"))
    return estimator.fit(train.X, train.y)


def same(names: list[str]) -> None:
    """Compare models and answers with those of one machine."""
    others = 0
    with cluster_client("local:2") as client:
        for name in names:
            learners = taggers() if name == "conll2000" else text_learners()
            for learner, make in learners.items():
                there, seconds = timed(
                    lambda m=make, n=name: fit(m(), corpus(n, "train"), client=client)
                )
                here, alone = timed(lambda m=make, n=name: fit_here(m(), n))
                ours, theirs = answers(there, name), answers(here, name)
                differ = sum(a != b for a, b in zip(ours, theirs, strict=True))
                others += differ
                print(
                    f"{name:13} {learner:22} {differ:,} of {len(ours):,} answers differ, "
                    f"{agreement(there, here)}; {seconds:.1f} s on 2 workers, {alone:.1f} s here",
                    flush=True,
                )
    if others:
        sys.exit(f"{others:,} answers are not those of one machine")


def agreement(there: Any, here: Any) -> str:
    """Return how near two models are to each other."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, which) for which in ("there", "here")]
        for estimator, file in zip((there, here), files, strict=True):
            estimator.save(file)
        if files[0].read_bytes() == files[1].read_bytes():
            return "the same file"
    learners = [getattr(estimator, "learner_", None) for estimator in (there, here)]
    if any("objective" not in learner.history_ for learner in learners):
        return "another file"
    values = [float(learner.history_["objective"][-1]) for learner in learners]
    gaps = [float(learner.optimality_) for learner in learners]
    apart = (values[0] - values[1]) / abs(values[1])
    return f"objective {apart:+.1e} (certified {gaps[0]:.0e} and {gaps[1]:.0e})"


def speed(names: list[str]) -> None:
    """Train with one worker and with two; print how much faster two are."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            job, make, source = speed_job(name, Path(folder))
            whole, step = [], []
            for workers in (1, 2):
                with cluster_client(f"local:{workers}") as client:
                    fit(make().set_params(learner=_short(make())), source, client=client)
                    fitted, seconds = timed(
                        lambda m=make, f=source, c=client: fit(m(), f, client=c)
                    )
                whole.append(seconds)
                step.append(float(np.diff(fitted.learner_.history_["seconds"]).min()))
        print(f"{job}: 1 worker {whole[0]:.1f} s, 2 workers {whole[1]:.1f} s, "
              f"{whole[0] / whole[1]:.2f} times as fast; the fastest iteration {step[0]:.3f} s and "
              f"{step[1]:.3f} s, {step[0] / step[1]:.2f} times", flush=True)  # fmt: skip


def speed_job(name: str, folder: Path) -> tuple[str, Callable[[], Any], Path]:
    """Return what is trained, its estimator and its file."""
    if name == "brown":  # some of it: a step is long, little travels; a fit takes about as many
        few = folder / "brown.txt"
        with gzip.open(corpus(name, "train"), "rt", encoding="utf-8") as lines:
            few.write_text("".join(islice(lines, 10_000)), encoding="utf-8")
        return (
            "CRF, 10,000 sentences of brown",
            lambda: linnet.SequenceTagger(linnet.CRF(max_iter=100)), few,
        )  # fmt: skip
    if name == "conll2000":
        crf = linnet.CRF(max_iter=30)
        return "CRF, conll2000", lambda: linnet.SequenceTagger(clone(crf)), corpus(name, "train")
    maxent = linnet.MaxEnt(C=64.0)
    return (
        f"MaxEnt, {name}", lambda: linnet.TextClassifier(clone(maxent), features="words"),
        corpus(name, "train"),
    )  # fmt: skip


def _short(estimator: Any) -> Any:
    """Return the learner with one iteration, to warm the workers up."""
    return estimator.learner.set_params(max_iter=1, tol=0.9)


def small() -> None:
    """Print what a cluster costs on little data."""
    data = linnet.data.load_pydoc()
    texts, labels = list(data.train_texts)[:1000], list(data.train_labels)[:1000]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.tsv")
        rows = (f"{y}\t{' '.join(x.split())}\n" for x, y in zip(texts, labels, strict=True))
        file.write_text("".join(rows))
        _, started = timed(lambda: _open_and_close("local:2"))
        with cluster_client("local:2") as client:
            for learner in ("nb", "svm"):
                clf = linnet.TextClassifier(learner, features="words")
                _, there = timed(lambda c=clf, k=client: fit(c, file, client=k))
                _, here = timed(lambda c=clf: c.fit(texts, labels))
                print(f"1,000 texts, {learner:4} {there:.2f} s on 2 workers, {here:.2f} s here")
    print(f"starting and ending 2 workers {started:.2f} s")


def _open_and_close(where: str) -> None:
    with cluster_client(where) as client:
        client.wait_for_workers(2)


def kills() -> None:
    """Kill one of three workers in the middle of training; the model must be the same."""
    other = []
    with tempfile.TemporaryDirectory() as folder, cluster_client("local:3") as client:
        for name, make, source in kill_jobs(Path(folder)):
            client.wait_for_workers(3)
            whole, seconds = timed(lambda m=make, f=source: fit(m(), f, client=client))
            learning = float(whole.learner_.history_["seconds"][-1])
            kill = Kill(client, after=seconds - learning / 2)
            again, longer = timed(lambda m=make, f=source: fit(m(), f, client=client))
            ended = time.perf_counter()
            if not ended - float(again.learner_.history_["seconds"][-1]) < kill.at < ended:
                sys.exit(f"{name}: the worker was not killed while weights were learned")
            files = [Path(folder, which) for which in ("whole", "again")]
            for estimator, file in zip((whole, again), files, strict=True):
                estimator.save(file)
            equal = files[0].read_bytes() == files[1].read_bytes()
            other += [] if equal else [name]
            print(f"{name}: {'the same file' if equal else 'ANOTHER FILE'} after a worker was "
                  f"killed {kill.at - ended + longer:.1f} s into the fit; {seconds:.1f} s "
                  f"undisturbed, {longer:.1f} s with the kill", flush=True)  # fmt: skip
    if other:
        sys.exit(f"another model after a kill: {', '.join(other)}")


class Kill:
    """Kills a worker after some seconds; `at` is when it did."""

    def __init__(self, client: Any, after: float) -> None:
        self._victim = min(client.run(os.getpid).values())
        self.at = float("inf")
        threading.Timer(after, self._kill).start()

    def _kill(self) -> None:
        self.at = time.perf_counter()
        os.kill(self._victim, signal.SIGKILL)


def kill_jobs(folder: Path) -> list[tuple[str, Callable[[], Any], Path]]:
    """Return what is trained while a worker is killed: enough to take seconds, not minutes."""
    texts, sentences = folder / "imdb.tsv", folder / "conll2000.txt"
    with gzip.open(corpus("imdb", "train"), "rt", encoding="utf-8") as lines:
        texts.write_text("".join(islice(lines, 0, None, 5)), encoding="utf-8")
    with gzip.open(corpus("conll2000", "train"), "rt", encoding="utf-8") as lines:
        blocks = lines.read().split("\n\n")
        sentences.write_text("\n\n".join(blocks[:2000]) + "\n", encoding="utf-8")
    learners = text_learners()
    return [
        ("MaxEnt, 5,000 reviews of imdb", learners["MaxEnt, C = 64"], texts),
        ("SVM, 5,000 reviews of imdb", learners["SVM, C = 0.3"], texts),
        ("CRF, 2,000 sentences of conll2000",
         lambda: linnet.SequenceTagger(linnet.CRF(tol=1e-4), supply_columns=False), sentences),
    ]  # fmt: skip


def mixing(names: list[str]) -> None:
    """Print the accuracy of online learners here, and by mixing over 1, 4 and 16 parts."""
    with cluster_client("local:2") as client:
        for name in names:
            makes = _online(name)
            gold = _gold(name)
            for learner, make in makes.items():
                figures = [("here", fit_here(make(), name))]
                size = corpus(name, "train").stat().st_size * 3
                for parts in (1, 4, 16):
                    mixed = fit(
                        make(), corpus(name, "train"), client=client, part_bytes=size // parts
                    )
                    figures.append((f"about {parts} parts", mixed))
                shown = ", ".join(
                    f"{what} {accuracy(answers(model, name), gold):.4f}" for what, model in figures
                )
                print(f"{name:13} {learner:20} {shown}", flush=True)


def accuracy(guesses: list[Any], gold: list[Any]) -> float:
    """Return the share of right answers."""
    return float(np.mean([a == b for a, b in zip(guesses, gold, strict=True)]))


def _online(name: str) -> dict[str, Any]:
    """Return learners that go from example to example, by name."""
    sgd = {"solver": "sgd", "max_iter": 10, "tol": 1e-9}
    if name == "conll2000":
        learners: dict[str, Any] = {
            "StructuredPerceptron": linnet.StructuredPerceptron(),
            "StructuredMIRA": linnet.StructuredMIRA(),
            "CRF, sgd": linnet.CRF(**sgd),
        }
        make: Any = partial(linnet.SequenceTagger, supply_columns=False)
    else:
        learners = {
            "Perceptron": linnet.Perceptron(),
            "MIRA": linnet.MIRA(),
            "SVM, hinge, sgd": linnet.SVM(**sgd),
            "MaxEnt, sgd": linnet.MaxEnt(C=16.0, **sgd),
        }
        make = partial(linnet.TextClassifier, features="words")
    return {
        name: lambda one=one: make(clone(one).set_params(random_state=0))
        for name, one in learners.items()
    }


def _gold(name: str) -> list[Any]:
    if name == "conll2000":
        tags = linnet.data.read_sequences(corpus(name, "test")).tags
        return [tag for sentence in tags or [] for tag in sentence]
    return list(linnet.data.read_examples(corpus(name, "test")).y or [])


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["same", "speed", "small", "kills", "mixing"])
    parser.add_argument("--corpora", nargs="+")
    asked = parser.parse_args()
    if asked.what in ("same", "mixing"):
        names = asked.corpora or [*TEXTS, "conll2000"]
        {"same": same, "mixing": mixing}[asked.what](names)
    elif asked.what == "speed":
        speed(asked.corpora or ["brown", "conll2000", "imdb"])
    else:
        {"small": small, "kills": kills}[asked.what]()


if __name__ == "__main__":
    main()
