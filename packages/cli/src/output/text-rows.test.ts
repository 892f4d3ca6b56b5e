import { describe, expect, it } from 'vitest';
import { isoMicros } from './columns.ts';
import { rowWriter } from './row-writer.ts';
import { csvWriter, ndjsonWriter } from './text-rows.ts';

const columns = [
  { name: 'id', kind: 'long' as const },
  { name: 'text', kind: 'text' as const },
  { name: 'at', kind: 'timestamp' as const },
  { name: 'tags', kind: 'json' as const },
];
const rows = [
  {
    id: '9007199254740993',
    text: 'a "quoted", line',
    at: '2025-11-03T14:22:10.000001Z',
    tags: ['x'],
  },
  { id: 2, text: '', at: null, tags: null },
];

function collect() {
  const chunks: Buffer[] = [];
  const sink = async (chunk: Uint8Array | string) => void chunks.push(Buffer.from(chunk));
  return { sink, bytes: () => Buffer.concat(chunks) };
}

describe('rows as text', () => {
  it('writes CSV by RFC 4180: null is empty, an empty text is quoted', async () => {
    const out = collect();
    const writer = csvWriter(out.sink, columns);
    for (const row of rows) await writer.write(row);
    await writer.end();
    expect(out.bytes().toString()).toBe(
      'id,text,at,tags\n9007199254740993,"a ""quoted"", ' +
        'line",2025-11-03T14:22:10.000001Z,"[""x""]"\n2,"",,\n',
    );
  });

  it('writes the CSV header even without rows', async () => {
    const out = collect();
    await csvWriter(out.sink, columns).end();
    expect(out.bytes().toString()).toBe('id,text,at,tags\n');
  });

  it('keeps the sign of -0 in CSV and NDJSON', async () => {
    const [csv, ndjson] = [collect(), collect()];
    const row = { id: -0, text: 'x', at: null, tags: [-0] };
    for (const writer of [csvWriter(csv.sink, columns), ndjsonWriter(ndjson.sink)]) {
      await writer.write(row);
      await writer.end();
    }
    expect(csv.bytes().toString()).toBe('id,text,at,tags\n-0,x,,[-0]\n');
    expect(ndjson.bytes().toString()).toBe('{"id":-0,"text":"x","at":null,"tags":[-0]}\n');
  });

  it('writes one JSON object a line', async () => {
    const out = collect();
    const writer = ndjsonWriter(out.sink);
    await writer.write({ a: 1n, b: 'x' });
    await writer.end();
    expect(out.bytes().toString()).toBe('{"a":"1","b":"x"}\n');
  });

  it('writes Arrow that Arrow reads back', async () => {
    const out = collect();
    const writer = await rowWriter('arrow', columns, out.sink);
    for (const row of rows) await writer.write(row);
    await writer.end();
    const { tableFromIPC } = await import('apache-arrow');
    const table = tableFromIPC(out.bytes());
    expect(table.numRows).toBe(2);
    expect(table.get(0)?.id).toBe(9007199254740993n);
    expect(table.get(1)?.text).toBe('');
    expect(table.get(1)?.at).toBeNull();
    expect(table.getChild('at')?.data[0].values[0]).toBe(1762179730000001n);
    expect(table.get(0)?.tags).toBe('["x"]');
  });

  it('writes Parquet that DuckDB reads back', async () => {
    const out = collect();
    const writer = await rowWriter('parquet', columns, out.sink);
    for (const row of rows) await writer.write(row);
    await writer.end();
    const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const folder = mkdtempSync(`${tmpdir()}/lhs-out-`);
    writeFileSync(`${folder}/x.parquet`, out.bytes());
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create()).connect();
    const read = await connection.runAndReadAll(`SELECT id, text, tags FROM '${folder}/x.parquet'`);
    rmSync(folder, { recursive: true });
    expect(read.getRows()).toEqual([
      [9007199254740993n, 'a "quoted", line', '["x"]'],
      [2n, '', null],
    ]);
  });

  it('reads microseconds from ISO texts', () => {
    expect(isoMicros('1970-01-01T00:00:00.000001Z')).toBe(1n);
    expect(isoMicros('1969-12-31T23:59:59.999999')).toBe(-1n);
    expect(isoMicros('2025-11-03T14:22:10.123456789')).toBe(1762179730123456n);
    expect(isoMicros(null)).toBeNull();
  });
});
