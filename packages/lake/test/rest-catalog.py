"""A REST catalog over PyIceberg's own catalog, which checks requirements and applies updates.

python rest-catalog.py FOLDER [WAREHOUSE]   # prints its port; FOLDER holds the catalog's database
"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import unquote

from pyiceberg import exceptions
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io import load_file_io
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import CommitTableRequest, StagedTable
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER

STATUS = {
    exceptions.NoSuchTableError: 404,
    exceptions.NoSuchNamespaceError: 404,
    exceptions.TableAlreadyExistsError: 409,
    exceptions.NamespaceAlreadyExistsError: 409,
    exceptions.CommitFailedException: 409,
}
folder, warehouse = sys.argv[1], (sys.argv[2:] or [f"file://{sys.argv[1]}/warehouse"])[0]
settings = {
    "uri": f"sqlite:///{folder}/rest.db",
    "warehouse": warehouse,
    "s3.endpoint": os.environ.get("AWS_ENDPOINT_URL_S3", ""),
    "s3.access-key-id": os.environ.get("AWS_ACCESS_KEY_ID", ""),
    "s3.secret-access-key": os.environ.get("AWS_SECRET_ACCESS_KEY", ""),
    "s3.region": "us-east-1",
}
catalog = SqlCatalog("rest", **settings)
lock = Lock()


def loaded(table):
    metadata = json.loads(table.metadata.model_dump_json(by_alias=True))
    place = {} if isinstance(table, StagedTable) else {"metadata-location": table.metadata_location}
    return {**place, "metadata": metadata, "config": {}}


def staged(namespace, body):
    name = (*namespace, body["name"])
    if catalog.table_exists(name):
        raise exceptions.TableAlreadyExistsError(f"Table already exists: {name}")
    if not catalog.namespace_exists(namespace):
        raise exceptions.NoSuchNamespaceError(f"Namespace does not exist: {namespace}")
    return catalog._create_staged_table(
        name,
        Schema.model_validate(body["schema"]),
        None,
        PartitionSpec.model_validate(body["partition-spec"]),
        UNSORTED_SORT_ORDER,
        body["properties"],
    )


def committed(name, body):
    request = CommitTableRequest.model_validate_json(body)
    try:
        table = catalog.load_table(name)
    except exceptions.NoSuchTableError:
        table = StagedTable(name, None, "", load_file_io(settings), catalog)
    return catalog.commit_table(table, request.requirements, request.updates)


def answer(method, parts, body):
    match method, parts:
        case "GET", ["config"]:
            return {"defaults": {}, "overrides": {}}
        case "POST", ["namespaces"]:
            catalog.create_namespace(tuple(json.loads(body)["namespace"]))
            return {}
        case "POST", ["namespaces", namespace, "tables"]:
            return loaded(staged(tuple(namespace.split("\x1f")), json.loads(body)))
        case "GET", ["namespaces", namespace, "tables", table]:
            return loaded(catalog.load_table((*namespace.split("\x1f"), table)))
        case "DELETE", ["namespaces", namespace, "tables", table]:
            catalog.drop_table((*namespace.split("\x1f"), table))
            return {}
        case "POST", ["namespaces", namespace, "tables", table]:
            done = committed((*namespace.split("\x1f"), table), body)
            return json.loads(done.model_dump_json(by_alias=True))
    raise exceptions.NoSuchTableError(f"no route {method} {parts}")


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = [unquote(part) for part in self.path.split("?")[0].split("/")[2:]]
        status = 200
        try:
            with lock:
                result = answer(self.command, parts, body)
        except Exception as error:
            status = next((s for kind, s in STATUS.items() if isinstance(error, kind)), 400)
            result = {"error": {"message": str(error), "type": type(error).__name__, "code": status}}
        text = json.dumps(result).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET
    do_DELETE = do_GET


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
