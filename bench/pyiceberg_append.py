"""A Parquet file appended to a new table by PyIceberg, batch by batch: seconds, rows and peak RSS (MiB) as JSON.

    python pyiceberg_append.py INPUT.parquet FOLDER
"""
import json
import resource
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

BATCH_ROWS = 1_000_000


def main(path, folder):
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/py")
    catalog.create_namespace("bench")
    started = time.perf_counter()
    file = pq.ParquetFile(path)
    table = catalog.create_table("bench.rows", schema=file.schema_arrow)
    for batch in file.iter_batches(batch_size=BATCH_ROWS):
        table.append(pa.Table.from_batches([batch]))
    seconds = time.perf_counter() - started
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "rss": rss, "rows": file.metadata.num_rows}))


main(sys.argv[1], sys.argv[2])
