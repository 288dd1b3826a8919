"""Keep the documents a model wants, in a datatrove pipeline.

    python on_datatrove.py MODEL IN_FOLDER OUT_FOLDER LABEL THRESHOLD

IN_FOLDER holds .jsonl files with a field text.
"""

import sys

import pyarrow as pa
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from linnet.scale import arrow_function


class LinnetFilter(BaseFilter):
    """Keep documents whose probability of a label is high enough, and note it in them.

    The arguments are those of datatrove's own fastText filter: with `keep_labels` a document needs
    one of them, with `remove_labels` it must have none.
    """

    name = "linnet"

    def __init__(
        self,
        model: str,
        keep_labels: tuple[str, float] | list[tuple[str, float]] | None = None,
        remove_labels: tuple[str, float] | list[tuple[str, float]] | None = None,
        save_labels_in_metadata: bool = True,
        exclusion_writer=None,
        batch_size: int = 1000,
    ) -> None:
        super().__init__(exclusion_writer, batch_size=batch_size)
        self.keep_labels, self.remove_labels = _pairs(keep_labels), _pairs(remove_labels)
        if bool(self.keep_labels) == bool(self.remove_labels):
            raise ValueError("give either keep_labels or remove_labels")
        named = {label for label, _ in self.keep_labels + self.remove_labels}
        self.scores = {label: arrow_function(model, score=label, keep=False) for label in named}
        self.save = save_labels_in_metadata

    def filter_batch(self, batch):
        """Answer many documents at once."""
        texts = pa.table({"text": [doc.text for doc in batch]})
        columns = {label: judge(texts)["score"].to_pylist() for label, judge in self.scores.items()}
        results = []
        for row, doc in enumerate(batch):
            scores = {label: column[row] for label, column in columns.items()}
            if self.save:
                doc.metadata.update(scores)
            kept = not self.keep_labels or any(scores[n] >= t for n, t in self.keep_labels)
            results.append(kept and not any(scores[n] >= t for n, t in self.remove_labels))
        return results

    def filter(self, doc):
        """Answer one document."""
        return self.filter_batch([doc])[0]


def _pairs(labels):
    return [labels] if isinstance(labels, tuple) else list(labels or [])


def main(model: str, source: str, target: str, label: str, threshold: str) -> None:
    """Read, filter, write."""
    steps = [
        JsonlReader(source),
        LinnetFilter(model, keep_labels=(label, float(threshold))),
        JsonlWriter(target, compression=None),
    ]
    LocalPipelineExecutor(steps, logging_dir=target + "/logs").run()


if __name__ == "__main__":
    main(*sys.argv[1:])
