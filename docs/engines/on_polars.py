"""Label the rows of a Parquet file: python on_polars.py MODEL IN.parquet OUT.parquet."""

import sys

import polars

from linnet.scale import arrow_function


def main(model: str, source: str, target: str) -> None:
    """Read lazily, answer batch by batch, write what was answered."""
    judge = arrow_function(model, column="text")

    def answered(frame: polars.DataFrame) -> polars.DataFrame:
        return polars.DataFrame(judge(frame.to_arrow()))

    rows = polars.scan_parquet(source)
    before = rows.collect_schema().to_frame().to_arrow().schema
    after = polars.DataFrame(judge.schema(before).empty_table()).schema
    rows = rows.map_batches(answered, streamable=True, schema=after)
    rows.collect(engine="streaming").write_parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
