"""Keep the documents a model wants, in a pipeline of NeMo Curator.

    python on_nemo_curator.py MODEL IN_FOLDER OUT_FOLDER LABEL THRESHOLD

IN_FOLDER holds .jsonl files with a field text.
"""

import os
import sys
from copy import copy

import pyarrow.compute as pc
from nemo_curator.stages.base import ProcessingStage
from nemo_curator.tasks import DocumentBatch

from linnet.scale import arrow_function


class LinnetFilter(ProcessingStage[DocumentBatch, DocumentBatch]):
    """Keep documents whose probability of a label is high enough, and add it as a column."""

    name = "linnet_filter"

    def __init__(self, model: str, label: str, threshold: float, text: str = "text") -> None:
        self.judge = arrow_function(
            model, text, score=label, answers={"score": f"{label}_score", "label": "top_label"}
        )
        self.column, self.threshold, self.text = f"{label}_score", threshold, text

    def inputs(self):
        """Say which attributes of a task and which columns are needed."""
        return ["data"], [self.text]

    def outputs(self):
        """Say which attributes and columns are there afterwards."""
        return ["data"], [self.text, "top_label", "probability", self.column]

    def process(self, task):
        """Answer one batch of documents; a batch of which nothing is kept is dropped."""
        table = self.judge(task.to_pyarrow())
        kept = table.filter(pc.greater_equal(table[self.column], self.threshold))
        if not len(kept):
            return None
        answered = copy(task)
        answered.data = kept
        return answered


def main(model: str, source: str, target: str, label: str, threshold: str) -> None:
    """Read, filter, write."""
    from nemo_curator.core.client import RayClient
    from nemo_curator.pipeline import Pipeline
    from nemo_curator.stages.text.io.reader import JsonlReader
    from nemo_curator.stages.text.io.writer import JsonlWriter

    # All steps run at the same time and each asks for a core; on fewer they take turns.
    client = RayClient(num_cpus=max(8, os.cpu_count() or 1))
    client.start()
    try:
        steps = [
            JsonlReader(file_paths=source),
            LinnetFilter(model, label, float(threshold)),
            JsonlWriter(path=target),
        ]
        Pipeline(name="linnet", stages=steps).run()
    finally:
        client.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
