"""Writes fixtures/tables/py_*: small tables made by pyiceberg, each with truth.json as pyiceberg itself reads it.

pip install "pyiceberg[pyiceberg-core,sql-sqlite]" pyarrow; python scripts/fixtures.py
"""
import base64, datetime as dt, decimal, json, math, os, shutil, tempfile, uuid
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg import types as t

OUT = os.path.join(os.path.dirname(__file__), "..", "fixtures", "tables")
WORK = tempfile.mkdtemp()
CATALOG = SqlCatalog("fixtures", uri=f"sqlite:///{WORK}/catalog.db", warehouse=f"file://{WORK}/warehouse")
CATALOG.create_namespace("fix")


def plain(value):
    """A value as docs/command-line.md writes it in JSON."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return ("-" if value < 0 else "") + "Infinity" if math.isinf(value) else value
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dt.datetime):
        zone = "Z" if value.tzinfo else ""
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + zone
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return [{"key": plain(k), "value": plain(v)} for k, v in value]
    if isinstance(value, list):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()}


def save(name):
    table = CATALOG.load_table(f"fix.{name}")
    snapshots = []
    for s in table.metadata.snapshots:
        rows = table.scan(snapshot_id=s.snapshot_id).to_arrow().to_pylist()
        plain_rows = [{k: plain(v) for k, v in r.items()} for r in rows]
        snapshot = {"id": str(s.snapshot_id), "rows": plain_rows}
        if s.schema_id != table.metadata.current_schema_id:
            old = next(x for x in table.metadata.schemas if x.schema_id == s.schema_id)
            names = {f.field_id: f.name for f in old.fields}
            snapshot["rows_current"] = [
                {f.name: row.get(names.get(f.field_id)) for f in table.schema().fields} for row in plain_rows]
        snapshots.append(snapshot)
    target = os.path.join(OUT, f"py_{name}")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(table.metadata.location.replace("file://", ""), target)
    truth = {"writer": "pyiceberg", "key": ["id"], "snapshots": snapshots}
    with open(os.path.join(target, "truth.json"), "w") as f:
        json.dump(truth, f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")
    print(name, len(snapshots), "snapshots")


def types():
    schema = Schema(
        t.NestedField(1, "id", t.LongType(), required=True),
        t.NestedField(2, "flag", t.BooleanType()),
        t.NestedField(3, "i", t.IntegerType()),
        t.NestedField(4, "f", t.FloatType()),
        t.NestedField(5, "d", t.DoubleType()),
        t.NestedField(6, "dec", t.DecimalType(20, 4)),
        t.NestedField(7, "day", t.DateType()),
        t.NestedField(8, "tod", t.TimeType()),
        t.NestedField(9, "ts", t.TimestampType()),
        t.NestedField(10, "tz", t.TimestamptzType()),
        t.NestedField(11, "s", t.StringType()),
        t.NestedField(12, "bin", t.BinaryType()),
        t.NestedField(13, "tags", t.ListType(20, t.StringType(), False)),
        t.NestedField(14, "props", t.MapType(21, t.StringType(), 22, t.LongType(), False)),
        t.NestedField(15, "place", t.StructType(t.NestedField(23, "x", t.DoubleType()), t.NestedField(24, "name", t.StringType()))),
        identifier_field_ids=[1],
    )
    table = CATALOG.create_table("fix.types", schema)
    utc = dt.timezone.utc
    rows = [
        {"id": 1, "flag": True, "i": -(2**31), "f": 0.5, "d": math.nan, "dec": decimal.Decimal("-1234567890123456.7890"),
         "day": dt.date(1969, 12, 31), "tod": dt.time(23, 59, 59, 999999), "ts": dt.datetime(1582, 10, 15, 0, 0, 0, 1),
         "tz": dt.datetime(2025, 11, 3, 14, 22, 10, 123456, utc), "s": "naïve 日本 👩‍👩‍👧", "bin": b"\x00\xff",
         "tags": ["a", None, ""], "props": [("k", 2**60), ("z", None)], "place": {"x": -0.25, "name": None}},
        {"id": 2**60 + 1, "flag": False, "i": 7, "f": -1.5, "d": -math.inf, "dec": decimal.Decimal("0.0001"),
         "day": dt.date(2024, 2, 29), "tod": dt.time(0), "ts": dt.datetime(2024, 2, 29, 12), "tz": dt.datetime(1970, 1, 1, tzinfo=utc),
         "s": "", "bin": b"", "tags": [], "props": [], "place": {"x": 1e300, "name": "süd"}},
        {"id": 3},
    ]
    table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
    save("types")


def partitioned():
    schema = Schema(
        t.NestedField(1, "id", t.LongType(), required=True),
        t.NestedField(2, "service", t.StringType()),
        t.NestedField(3, "at", t.TimestampType()),
        t.NestedField(4, "title", t.StringType()),
        identifier_field_ids=[1],
    )
    spec = PartitionSpec(
        PartitionField(2, 1000, IdentityTransform(), "service"),
        PartitionField(3, 1001, DayTransform(), "at_day"),
        PartitionField(1, 1002, BucketTransform(4), "id_bucket"),
    )
    table = CATALOG.create_table("fix.partitioned", schema, partition_spec=spec)
    arrow = lambda ids: pa.Table.from_pylist(
        [{"id": i, "service": [None, "a/b", "büro 1"][i % 3], "at": dt.datetime(2025, 1, 1 + i % 3, i % 24), "title": f"title {i}"} for i in ids],
        schema=table.schema().as_arrow())
    table.append(arrow(range(0, 24)))
    table.append(arrow(range(24, 36)))
    table.delete("id >= 30")
    table.overwrite(arrow(range(1, 12, 3)), overwrite_filter="service = 'a/b'")
    save("partitioned")


def evolved():
    schema = Schema(t.NestedField(1, "id", t.IntegerType(), required=True), t.NestedField(2, "name", t.StringType()),
                    t.NestedField(3, "score", t.FloatType()), identifier_field_ids=[1])
    table = CATALOG.create_table("fix.evolved", schema)
    table.append(pa.Table.from_pylist([{"id": i, "name": f"n{i}", "score": i / 2} for i in range(8)], schema=table.schema().as_arrow()))
    with table.update_schema() as update:
        update.rename_column("name", "title")
        update.add_column("note", t.StringType())
        update.update_column("score", t.DoubleType())
    table.append(pa.Table.from_pylist([{"id": i, "title": f"t{i}", "score": i / 3, "note": "new"} for i in range(8, 12)], schema=table.schema().as_arrow()))
    with table.update_schema() as update:
        update.delete_column("note")
    table.append(pa.Table.from_pylist([{"id": 12, "title": "last", "score": None}], schema=table.schema().as_arrow()))
    table.manage_snapshots().create_tag(table.metadata.snapshots[0].snapshot_id, "first").commit()
    save("evolved")


def version1():
    schema = Schema(t.NestedField(1, "id", t.LongType(), required=True), t.NestedField(2, "name", t.StringType()), identifier_field_ids=[1])
    spec = PartitionSpec(PartitionField(1, 1000, BucketTransform(3), "id_bucket"))
    table = CATALOG.create_table("fix.version1", schema, partition_spec=spec, properties={"format-version": "1"})
    arrow = lambda ids: pa.Table.from_pylist([{"id": i, "name": f"n{i}"} for i in ids], schema=table.schema().as_arrow())
    table.append(arrow(range(0, 10)))
    table.delete("id = 4 or id = 7")
    table.append(arrow(range(10, 13)))
    save("version1")


os.makedirs(OUT, exist_ok=True)
version1()
types()
partitioned()
evolved()
