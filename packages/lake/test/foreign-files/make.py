"""Writes the files of this folder and, as JSON, what their writers read back from them.

pip install fastavro backports.zstd cramjam openpyxl pandas pyarrow; python make.py
"""

import datetime as dt
import decimal
import json
import uuid

import fastavro
import openpyxl
import pandas
import pyarrow
import pyarrow.feather

UTC = dt.timezone.utc
AVRO = {
    "type": "record", "name": "row", "fields": [
        {"name": "id", "type": "long"},
        {"name": "small", "type": ["null", "int"]},
        {"name": "f", "type": "float"},
        {"name": "d", "type": ["null", "double"]},
        {"name": "ok", "type": "boolean"},
        {"name": "t", "type": ["string", "null"]},
        {"name": "digits", "type": "string"},
        {"name": "raw", "type": "bytes"},
        {"name": "money", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "kind", "type": {"type": "enum", "name": "kinds", "symbols": ["A", "B"]}},
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "attrs", "type": {"type": "map", "values": "long"}},
        {"name": "place", "type": ["null", {"type": "record", "name": "place", "fields": [
            {"name": "lat", "type": "double"},
            {"name": "seen", "type": {"type": "array", "items": {"type": "long", "logicalType": "timestamp-micros"}}},
        ]}]},
    ],
}


def avro_row(i):
    at = dt.datetime(2024, 3, 1, 12, 0, i, 123000, UTC)
    micros = dt.datetime(1969, 12, 31, 23, 59, 59, 999000 + i, UTC)
    return {
        "id": 2**60 + i, "small": None if i == 1 else -i, "f": 0.5 * i, "d": None if i == 2 else i / 3,
        "ok": i % 2 == 0, "t": None if i == 0 else f"text {i} \u00e9\n\"x\"", "digits": f"00{i}",
        "raw": bytes([0, 255, i]), "money": decimal.Decimal(-i) / 4, "day": dt.date(1960 + i, 2, 28),
        "clock": dt.time(23, 59, i, 500000), "at": at, "micros": micros,
        "local": dt.datetime(2024, 7, 1, 0, 0, i), "kind": "AB"[i % 2],
        "tags": ["a", None, "2024-01-01"][: i], "attrs": {"x": i, "y z": 2**53 + i},
        "place": None if i == 3 else {"lat": i / 8, "seen": [at] * (i % 2)},
    }


def arrow_table():
    n = 700
    rows = [avro_row(i % 60) for i in range(n)]
    types = {
        "id": pyarrow.int64(), "small": pyarrow.int8(), "f": pyarrow.float32(), "d": pyarrow.float64(),
        "ok": pyarrow.bool_(), "t": pyarrow.string(), "digits": pyarrow.large_string(),
        "raw": pyarrow.binary(), "money": pyarrow.decimal128(12, 2), "day": pyarrow.date32(),
        "clock": pyarrow.time32("ms"), "at": pyarrow.timestamp("ms", "UTC"),
        "micros": pyarrow.timestamp("us", "UTC"), "local": pyarrow.timestamp("s"),
        "kind": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
        "tags": pyarrow.list_(pyarrow.string()), "attrs": pyarrow.map_(pyarrow.string(), pyarrow.int64()),
        "place": pyarrow.struct([("lat", pyarrow.float64()),
                                 ("seen", pyarrow.list_(pyarrow.timestamp("us", "UTC")))]),
    }
    columns = {name: pyarrow.array(
        [list(row[name].items()) if name == "attrs" else row[name] for row in rows], kind)
        for name, kind in types.items()}
    columns["big"] = pyarrow.array([2**64 - 1 - i for i in range(n)], pyarrow.uint64())
    columns["pair"] = pyarrow.array([[i, -i] for i in range(n)], pyarrow.list_(pyarrow.int32(), 2))
    return pyarrow.table(columns)


def plain(value):
    """A value as the tests of imports write it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        import base64
        return base64.b64encode(value).decode()
    if isinstance(value, decimal.Decimal):
        return f"{value:.2f}"
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="microseconds")
        return text + ("Z" if value.tzinfo else "")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value


def main():
    expected = {}
    for codec in ("null", "deflate", "zstandard", "snappy"):
        try:
            with open(f"{codec}.avro", "wb") as out:
                fastavro.writer(out, AVRO, [avro_row(i) for i in range(4)], codec=codec)
        except ValueError as error:
            print(codec, error)
    with open("null.avro", "rb") as file:
        expected["avro"] = [plain(row) for row in fastavro.reader(file)]
    table = arrow_table()
    for name, codec in {"plain": "uncompressed", "lz4": "lz4", "zstd": "zstd"}.items():
        pyarrow.feather.write_feather(table, f"{name}.feather", codec, chunksize=300)
    with pyarrow.ipc.new_stream("stream.arrows", table.schema) as out:
        out.write_table(table, 300)
    rows = pyarrow.feather.read_table("lz4.feather").to_pylist()
    expected["arrow"] = [plain(rows[i]) for i in (0, 1, 2, 3, 299, 300, 699)]
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([])
    sheet.append(["name", "n", "price", "day", "at", "clock", "ok", "zip", None, "mixed"])
    for i in range(4):
        sheet.append([
            f"  n\u00e4me <{i}> & \"x\"\nline" if i else None, i, i / 3,
            dt.date(2024, 2, 28 + i % 2), dt.datetime(2024, 2, 29, 23, 59, i), dt.time(1, 2, i),
            i % 2 == 0, f"0{i}", None if i else "x", "a" if i == 2 else i,
        ])
    other = book.create_sheet("second")
    other.append(["not", "read"])
    book.save("sheet.xlsx")
    frame = pandas.read_excel("sheet.xlsx", header=1, dtype={"zip": str})
    expected["xlsx"] = [plain(row) for row in frame.astype(object).where(frame.notna(), None)
                        .to_dict("split")["data"]]
    with open("expected.json", "w") as out:
        json.dump(expected, out, indent=1, ensure_ascii=False, default=lambda v: plain(v.to_pydatetime()))
        out.write("\n")


main()
