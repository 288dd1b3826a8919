"""What does a second label of memory bring? Order 1 and order 2, on chunks and on parts of speech.

    python benchmarks/order.py                      # conll2000 and the UPOS tags of ud_en_ewt
    python benchmarks/order.py conll2000 --learner crf perceptron
    python benchmarks/order.py --share 0.2          # a fifth of the training sentences

Both orders see the same features and the same settings; a row has what the test half says of both,
and how much longer training took. CPU seconds, for the machine may be busy with other things.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

from real_data import data_root

CORPORA = {
    "conll2000": ("conll2000/train.txt.gz", "conll2000/test.txt.gz", "crfsuite_chunking"),
    "ud_en_ewt": (
        "ud_en_ewt/en_ewt-ud-train.conllu.gz", "ud_en_ewt/en_ewt-ud-test.conllu.gz", "default",
    ),
}  # fmt: skip
LEARNERS = ("crf", "perceptron", "svm", "memm", "hmm")


def made(learner: str, order: int) -> Any:
    import linnet

    return {
        "crf": lambda: linnet.CRF(tol=1e-2, order=order),
        "perceptron": lambda: linnet.StructuredPerceptron(random_state=0, order=order),
        "svm": lambda: linnet.StructuredSVM(max_iter=5, random_state=0, order=order),
        "memm": lambda: linnet.MEMM(tol=1e-2, order=order),
        "hmm": lambda: linnet.HMM(order=order),
    }[learner]()


def rows(corpus: str, learner: str, share: float) -> Iterator[list[str]]:
    import linnet
    from linnet.data import read_sequences

    train_file, test_file, features = CORPORA[corpus]
    train, test = (read_sequences(data_root() / file) for file in (train_file, test_file))
    train = train.take(slice(0, int(len(train) * share)))
    for order in (1, 2):
        how = {} if features == "default" or learner == "hmm" else {"supply_columns": False}
        chosen = {} if features == "default" or learner == "hmm" else {"features": features}
        tagger = linnet.SequenceTagger(made(learner, order), **how, **chosen)
        began = process_time()
        tagger.fit(train)
        trained, began = process_time() - began, process_time()
        guess = tagger.predict(test)
        tagged = process_time() - began
        report = linnet.evaluate.evaluate_sequences(test.tags or [], guess)
        f1 = "" if report.chunks is None else f"{100 * report.chunks.f1:.2f}"
        accuracy = f"{100 * report.accuracy:.2f}"
        seconds = f"{trained:.1f}", f"{tagged:.1f}"
        yield [corpus, learner, str(order), accuracy, f1, *seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", help=", ".join(CORPORA))
    parser.add_argument("--learner", nargs="+", default=[*LEARNERS], choices=LEARNERS)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    head = ("corpus", "learner", "order", "accuracy", "F1", "train CPU s", "tag CPU s")
    print(" | ".join(head), flush=True)
    for corpus in options.corpora or CORPORA:
        for learner in options.learner:
            for row in rows(corpus, learner, options.share):
                print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
