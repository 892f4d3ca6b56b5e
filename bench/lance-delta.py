"""Appends rows to a Lance dataset and indexes them apart from the others (a delta index).

LanceDB's own optimize() rebuilds the whole index; Lance below it can do less. A line of JSON rows
on stdin, a line with the time of the append's commit (ms since 1970) on stdout once they are
indexed. argv: dataset.
"""
import json
import sys
import time

import lance
import pyarrow as pa

path = sys.argv[1]
schema = lance.dataset(path).schema
print("ready", flush=True)
for line in sys.stdin:
    rows = pa.Table.from_pylist(json.loads(line), schema=schema)
    dataset = lance.write_dataset(rows, path, mode="append")
    committed = time.time() * 1000
    dataset.optimize.optimize_indices(num_indices_to_merge=0)
    print(committed, flush=True)
