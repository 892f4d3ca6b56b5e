"""commits.parquet as pyarrow and pyiceberg write a table by default: one row group, no offset index, field ids.

    python pyarrow_layout.py ../data/commits.parquet OUT.parquet
"""
import sys

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = ["repo", "sha", "author", "authored_at", "subject", "body", "words"]


def main(path, out):
    table = pq.read_table(path, columns=COLUMNS).combine_chunks()
    fields = [
        pa.field(f.name, f.type, True, metadata={b"PARQUET:field_id": str(i + 1).encode()})
        for i, f in enumerate(table.schema)
    ]
    pq.write_table(table.cast(pa.schema(fields)), out, compression="zstd", row_group_size=1_048_576)
    print(table.num_rows)


main(*sys.argv[1:])
