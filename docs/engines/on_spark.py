"""Label the rows of Parquet files with Spark: spark-submit on_spark.py MODEL IN.parquet OUT_FOLDER.

The model file must have the same path on every worker (``--files`` puts it there).
"""

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from linnet.scale import arrow_function


def main(model: str, source: str, target: str) -> None:
    """Spark gives each task an iterator of record batches and takes one back."""
    judge = arrow_function(model, column="text")

    def answered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return map(judge, batches)

    spark = SparkSession.builder.getOrCreate()
    rows = spark.read.parquet(source)
    schema = from_arrow_schema(judge.schema(to_arrow_schema(rows.schema)))
    rows.mapInArrow(answered, schema).write.parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
