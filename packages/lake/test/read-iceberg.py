"""Prints the rows of a table as PyIceberg reads it: a JSON array in the order of `id`.

python read-iceberg.py METADATA_FILE
"""
import json
import os
import sys

from pyiceberg.table import StaticTable

settings = {
    "s3.endpoint": os.environ.get("AWS_ENDPOINT_URL_S3", ""),
    "s3.access-key-id": os.environ.get("AWS_ACCESS_KEY_ID", ""),
    "s3.secret-access-key": os.environ.get("AWS_SECRET_ACCESS_KEY", ""),
    "s3.region": "us-east-1",
}
table = StaticTable.from_metadata(sys.argv[1], settings).scan().to_arrow()
print(json.dumps(table.sort_by("id").to_pylist(), default=str))
