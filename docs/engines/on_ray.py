"""Label the rows of Parquet files with Ray Data: python on_ray.py MODEL IN.parquet OUT_FOLDER."""

import sys

import ray.data

from linnet.scale import arrow_function


def main(model: str, source: str, target: str) -> None:
    """Every task answers one block, an Arrow table; the model is mapped once a worker."""
    judge = arrow_function(model, column="text")
    rows = ray.data.read_parquet(source)
    rows.map_batches(judge.__call__, batch_format="pyarrow", batch_size=10_000).write_parquet(
        target
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
