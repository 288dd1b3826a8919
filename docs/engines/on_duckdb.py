"""Label the rows of a Parquet file in SQL: python on_duckdb.py MODEL IN.parquet OUT.parquet."""

import sys

import duckdb
import pyarrow as pa

from linnet.scale import arrow_function


def main(model: str, source: str, target: str) -> None:
    """Register the model as a function of SQL, which DuckDB calls on columns of 2,048 rows."""
    judge = arrow_function(model, column="text", keep=False)

    def label(texts: pa.ChunkedArray) -> pa.ChunkedArray:
        return judge(pa.table({"text": texts}))["label"]

    def probability(texts: pa.ChunkedArray) -> pa.ChunkedArray:
        return judge(pa.table({"text": texts}))["probability"]

    base = duckdb.connect()
    options = {"type": "arrow", "null_handling": "special"}
    base.create_function("label", label, ["VARCHAR"], "VARCHAR", **options)
    base.create_function("probability", probability, ["VARCHAR"], "DOUBLE", **options)
    answers = "SELECT *, label(text) AS label, probability(text) AS probability"
    base.execute(f"COPY ({answers} FROM read_parquet(?)) TO '{target}' (FORMAT parquet)", [source])


if __name__ == "__main__":
    main(*sys.argv[1:])
