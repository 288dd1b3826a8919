"""Label a Hugging Face data set: python on_datasets.py MODEL IN.parquet OUT.parquet."""

import sys

import datasets

from linnet.scale import arrow_function


def main(model: str, source: str, target: str) -> None:
    """Let two processes answer Arrow tables; each maps the model once."""
    judge = arrow_function(model, column="text")
    examples = datasets.Dataset.from_parquet(source).with_format("arrow")
    examples.map(judge, batched=True, batch_size=10_000, num_proc=2).to_parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
