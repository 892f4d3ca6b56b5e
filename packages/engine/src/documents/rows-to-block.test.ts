import {
  type Batch,
  type ColumnVector,
  type Schema,
  type Type,
  type Value,
  type VariantNode,
  VariantValue,
} from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldType } from '../schema/definition.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { decodeKey } from '../schema/keys/key.ts';
import { createMapping, type Mapping } from '../schema/mapping.ts';
import { requireDefinition } from '../schema/parse/parse-definition.ts';
import { parseDate } from '../schema/values/date-value.ts';
import { formatIp, parseIp } from '../schema/values/ip-value.ts';
import { rowsToBlock } from './rows-to-block.ts';

const catalog = { names: ['standard', 'simple'], tokenizers: [], filters: [], check: () => null };
const noAnalyzer = () => ({ name: 'none', analyze: () => 0, normalize: (word: string) => word });
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function vectorOf(type: Type, values: readonly Value[]): ColumnVector {
  const nulls = values.includes(null) ? Uint8Array.from(values, (v) => (v === null ? 1 : 0)) : null;
  switch (type.kind) {
    case 'string': {
      const parts = values.map((v) => encoder.encode((v ?? '') as string));
      const offsets = Int32Array.from([0, ...parts.map((p) => p.length)]);
      for (let i = 1; i < offsets.length; i++) offsets[i] += offsets[i - 1];
      return { kind: 'utf8', nulls, offsets, bytes: Buffer.concat(parts) };
    }
    case 'int':
    case 'date':
      return { kind: 'int32', nulls, values: Int32Array.from(values, (v) => Number(v ?? 0)) };
    case 'long':
    case 'timestamptz':
    case 'timestamp_ns':
      return {
        kind: 'int64',
        nulls,
        values: BigInt64Array.from(values as (bigint | null)[], (v) => v ?? 0n),
      };
    case 'double':
      return { kind: 'float64', nulls, values: Float64Array.from(values, (v) => Number(v ?? 0)) };
    case 'boolean':
      return { kind: 'bool', nulls, values: Uint8Array.from(values, (v) => (v === true ? 1 : 0)) };
    default:
      return { kind: 'values', values };
  }
}

function table(columns: Record<string, Type>, key = 1): Schema {
  const fields = Object.entries(columns).map(([name, type], i) => ({
    id: i + 1,
    name,
    required: false,
    type,
  }));
  const identifierFieldIds = fields.slice(0, key).map((f) => f.id);
  return { schemaId: 0, fields, identifierFieldIds };
}

function mappingOf(schema: Schema, body: string): Mapping {
  const text = `version: 1\nindex: t\nsource: { path: x }\n${body}`;
  return createMapping(requireDefinition(text, catalog), schema, 'x', noAnalyzer);
}

function batchOf(mapping: Mapping, rows: readonly Record<string, Value>[]): Batch {
  const columns = mapping.columns.map((field) =>
    vectorOf(
      field.type,
      rows.map((row) => row[field.name] ?? null),
    ),
  );
  const positions = Int32Array.from(rows, (_, i) => i * 3);
  return { rows: rows.length, columns, file: 'data/a.parquet', positions };
}

/** Values of each document, by field type, as the structures would hand them out. */
function documents(block: FieldBlock, type: FieldType): unknown[][] {
  return Array.from({ length: block.starts.length - 1 }, (_, doc) => {
    const values: unknown[] = [];
    for (let j = block.starts[doc]; j < block.starts[doc + 1]; j++) {
      if (block.kind === 'vector') values.push([block.scales[j], ...block.codes]);
      else if (block.kind !== 'bytes') values.push(block.values[j]);
      else {
        const bytes = block.bytes.subarray(block.offsets[j], block.offsets[j + 1]);
        values.push(type === 'IP' ? formatIp(bytes) : decoder.decode(bytes));
      }
    }
    return values;
  });
}

const build = (mapping: Mapping, rows: readonly Record<string, Value>[], leftOut = new Map()) =>
  rowsToBlock(mapping, batchOf(mapping, rows), 7, leftOut);
const read = (block: ReturnType<typeof build>, name: string, type: FieldType) =>
  documents(block.fields.get(name)!, type);

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const text = fc.string({ unit: 'binary', maxLength: 9 });

describe('rows to a block', () => {
  const list = (element: Type): Type => ({
    kind: 'list',
    elementId: 90,
    elementRequired: false,
    element,
  });
  const schema = table({
    id: { kind: 'long' },
    part: { kind: 'string' },
    a: { kind: 'string' },
    b: { kind: 'string' },
    n: { kind: 'int' },
    big: { kind: 'long' },
    x: { kind: 'double' },
    at: { kind: 'timestamptz' },
    day: { kind: 'date' },
    nano: { kind: 'timestamp_ns' },
    ok: { kind: 'boolean' },
    host: { kind: 'string' },
    tags: list({ kind: 'string' }),
    counts: list({ kind: 'int' }),
    price: { kind: 'decimal', precision: 9, scale: 2 },
  });
  const mapping = mappingOf(
    schema,
    `key: { partition: [part] }
fields:
  - { name: a, type: TEXT }
  - { name: both, type: TEXT, source: [a, b] }
  - { name: short, type: TEXT, source: a, max_bytes: 5 }
  - { name: both_short, type: TEXT, source: [a, b], max_bytes: 5 }
  - { name: b, type: KEYWORD, max_bytes: 5 }
  - { name: n, type: LONG }
  - { name: n_text, type: KEYWORD, source: n }
  - { name: n_x, type: DOUBLE, source: n }
  - { name: big_ms, type: DATE, source: big, format: epoch_ms }
  - { name: x, type: DOUBLE }
  - { name: at, type: DATE }
  - { name: day, type: DATE }
  - { name: nano, type: DATE }
  - { name: ok, type: BOOL }
  - { name: host, type: IP }
  - { name: tags, type: KEYWORD }
  - { name: tag_text, type: TEXT, source: tags }
  - { name: counts, type: LONG }
  - { name: price, type: DOUBLE }
`,
  );
  const row = fc.record({
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    part: text,
    a: nullable(text),
    b: nullable(text),
    n: nullable(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    big: nullable(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })),
    x: nullable(fc.double()),
    at: nullable(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n })),
    day: nullable(fc.integer({ min: -700_000, max: 700_000 })),
    nano: nullable(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n })),
    ok: nullable(fc.boolean()),
    host: nullable(fc.oneof(fc.ipV4(), fc.ipV6())),
    tags: nullable(fc.array(nullable(text), { maxLength: 3 })),
    counts: nullable(fc.array(nullable(fc.integer({ min: -9, max: 9 })), { maxLength: 3 })),
    price: nullable(fc.bigInt({ min: -999_999n, max: 999_999n })),
  });
  const cut = (value: string, most: number) => {
    let out = '';
    for (const point of value) {
      if (Buffer.byteLength(out + point) > most) break;
      out += point;
    }
    return out;
  };
  const one = <T>(value: T | null, map: (v: T) => unknown = (v) => v) =>
    value === null ? [] : [map(value)];
  const joined = (a: string | null, b: string | null) =>
    a === null && b === null ? null : [a, b].filter((t) => t !== null).join('\n');
  const floorDiv = (a: bigint, b: bigint) => (a - (((a % b) + b) % b)) / b;

  it('equals a naive reading, row by row', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const block = build(mapping, rows);
        const expectField = (
          name: string,
          type: FieldType,
          of: (r: (typeof rows)[0]) => unknown[],
        ) => expect(read(block, name, type), name).toEqual(rows.map(of));
        expectField('a', 'TEXT', (r) => one(r.a));
        expectField('both', 'TEXT', (r) => one(joined(r.a, r.b)));
        expectField('short', 'TEXT', (r) => one(r.a, (t) => cut(t, 5)));
        expectField('both_short', 'TEXT', (r) => one(joined(r.a, r.b), (t) => cut(t, 5)));
        expectField('b', 'KEYWORD', (r) =>
          one(r.b).filter((t) => Buffer.byteLength(String(t)) <= 5),
        );
        expectField('n', 'LONG', (r) => one(r.n, BigInt));
        expectField('n_text', 'KEYWORD', (r) => one(r.n, String));
        expectField('n_x', 'DOUBLE', (r) => one(r.n));
        expectField('big_ms', 'DATE', (r) => one(r.big, (v) => v * 1000n));
        expectField('x', 'DOUBLE', (r) => one(r.x));
        expectField('at', 'DATE', (r) => one(r.at));
        expectField('day', 'DATE', (r) => one(r.day, (v) => BigInt(v) * 86_400_000_000n));
        expectField('nano', 'DATE', (r) => one(r.nano, (v) => floorDiv(v, 1000n)));
        expectField('ok', 'BOOL', (r) => one(r.ok, (v) => (v ? 1n : 0n)));
        expectField('host', 'IP', (r) => one(r.host, (v) => formatIp(parseIp(v)!)));
        expectField('tags', 'KEYWORD', (r) => (r.tags ?? []).filter((t) => t !== null));
        expectField('tag_text', 'TEXT', (r) => (r.tags ?? []).filter((t) => t !== null));
        expectField('counts', 'LONG', (r) =>
          (r.counts ?? []).filter((c) => c !== null).map(BigInt),
        );
        expectField('price', 'DOUBLE', (r) => one(r.price, (v) => Number(v) / 100));
        rows.forEach((r, i) => {
          const key = block.keyBytes.subarray(block.keyOffsets[i], block.keyOffsets[i + 1]);
          expect(decodeKey(key)).toEqual([r.part, String(r.id)]);
        });
        expect(block.files).toEqual(new Int32Array(rows.length).fill(7));
      }),
      { seed: 20251121, numRuns: 300 },
    );
  });

  it('hashes rows whatever batch they come in, and tells changed rows apart', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const together = build(mapping, rows).hashes;
        for (const [i, r] of rows.entries()) {
          expect(build(mapping, [r]).hashes[0]).toBe(together[i]);
        }
        const changed = { ...rows[0], a: `${rows[0].a ?? ''}!` };
        expect(build(mapping, [changed]).hashes[0]).not.toBe(together[0]);
      }),
      { seed: 20251121, numRuns: 100 },
    );
  });

  it('keeps the published hash of a known row', () => {
    const small = mappingOf(
      table({ id: { kind: 'long' }, a: { kind: 'string' } }),
      'fields: [{ name: a, type: TEXT }]',
    );
    const [hash, empty, none] = build(small, [
      { id: 1n, a: 'hello' },
      { id: 1n, a: '' },
      { id: 1n, a: null },
    ]).hashes;
    expect(new Set([hash, empty, none]).size).toBe(3);
    expect(hash.toString(16)).toMatchInlineSnapshot(`"a219eba3061b892f"`);
  });

  it('refuses NULL keys and values that are not what the field says', () => {
    const good = { id: 1n, part: 'p' };
    const refuse = (rows: Record<string, Value>[]) => () => build(mapping, rows);
    expect(refuse([good, { ...good, id: null }])).toThrow(
      'key part=p,id=NULL: "id" is NULL in row 3 of data/a.parquet',
    );
    expect(refuse([good, { ...good, host: '10.0.0.256' }])).toThrow(
      'part=p,id=1: column "host" holds "10.0.0.256", which is not an IPv4 or IPv6 ' +
        'address (row 3 of data/a.parquet)',
    );
    const keyword = mappingOf(schema, 'fields: [{ name: a, type: KEYWORD }]');
    expect(() => build(keyword, [{ id: 1n, a: 'x'.repeat(32_767) }])).toThrow(
      'at most 32766 bytes (it has 32767)',
    );
    expect(
      read(build(keyword, [{ id: 1n, a: 'x'.repeat(32_766) }]), 'a', 'KEYWORD')[0],
    ).toHaveLength(1);
  });
});

describe('variants to a block', () => {
  const schema = table({
    id: { kind: 'long' },
    kind: { kind: 'string' },
    meta: { kind: 'variant' },
  });
  const mapping = mappingOf(
    schema,
    `variants:
  - column: meta
    discriminator: kind
    shapes:
      - name: push
        when: push
        fields:
          - { path: size, type: LONG }
          - { path: at, type: DATE }
          - { path: a.b, type: KEYWORD }
      - name: other
        when: [pull, '7']
        fields: [ { path: size, type: LONG }, { path: host, type: IP } ]
`,
  );
  const node = (value: unknown): VariantNode => {
    if (value === null) return { kind: 'null' };
    if (typeof value === 'string') return { kind: 'string', value };
    if (typeof value === 'boolean') return { kind: 'boolean', value };
    if (typeof value === 'bigint') return { kind: 'int64', value };
    if (typeof value === 'number') return { kind: 'double', value };
    if (Array.isArray(value)) return { kind: 'array', elements: value.map(node) };
    return {
      kind: 'object',
      fields: new Map(Object.entries(value as object).map(([k, v]) => [k, node(v)])),
    };
  };
  const variant = (value: unknown) => new VariantValue(node(value));
  const rows: Record<string, Value>[] = [
    {
      id: 1n,
      meta: variant({
        kind: 'push',
        size: 5n,
        at: '2025-11-03',
        a: [{ b: 'x' }, { b: true }],
        'a.b': 'y',
      }),
    },
    {
      id: 2n,
      meta: variant({ kind: 'pull', size: 2, host: '10.0.0.1', note: ['one', 'two', null] }),
    },
    { id: 3n, kind: 'push', meta: variant({ size: 'big', at: '2025' }) },
    { id: 4n, kind: 'other', meta: variant({ kind: 7n, size: 1.5, host: 'nowhere', b: '\0' }) },
    { id: 5n, meta: variant('lone') },
    { id: 6n, meta: null },
    { id: 7n, meta: variant({ 'n\0k': 1n, n: {}, m: [] }) },
  ];

  it('flatten into texts and path terms, and give typed fields to the rows of a shape', () => {
    const leftOut = new Map<string, number>();
    const block = build(mapping, rows, leftOut);
    expect(read(block, 'meta', 'TEXT')).toEqual([
      ['push', '2025-11-03', 'x', 'y'],
      ['pull', '10.0.0.1', 'one', 'two'],
      ['big', '2025'],
      ['nowhere', '\0'],
      ['lone'],
      [],
      [],
    ]);
    expect(read(block, 'meta#paths', 'KEYWORD').slice(0, 2)).toEqual([
      ['kind\0push', 'size\u00005', 'at\u00002025-11-03', 'a.b\0x', 'a.b\0true', 'a.b\0y'],
      ['kind\0pull', 'size\u00002', 'host\u000010.0.0.1', 'note\0one', 'note\0two', 'note\0null'],
    ]);
    expect(read(block, 'meta#paths', 'KEYWORD')[6]).toEqual(['n\u2400k\u00001']);
    expect(read(block, 'meta.size', 'LONG')).toEqual([[5n], [2n], [], [], [], [], []]);
    const at = parseDate('2025-11-03');
    expect(read(block, 'meta.at', 'DATE')).toEqual([[at], [], [2025n], [], [], [], []]);
    expect(read(block, 'meta.a.b', 'KEYWORD')[0]).toEqual(['x', 'true', 'y']);
    expect(read(block, 'meta.host', 'IP')).toEqual([[], ['10.0.0.1'], [], [], [], [], []]);
    expect(Object.fromEntries(leftOut)).toEqual({ 'meta.size': 2, 'meta.host': 1 });
  });

  it('hash by value, not by how a file packs their numbers', () => {
    const hash = (value: VariantNode) =>
      build(mapping, [{ id: 1n, meta: new VariantValue(value) }]).hashes[0];
    const five = hash({ kind: 'int8', value: 5 });
    expect(hash({ kind: 'int64', value: 5n })).toBe(five);
    expect(hash({ kind: 'decimal', unscaled: 500n, scale: 2 })).toBe(five);
    expect(hash({ kind: 'double', value: 5 })).not.toBe(five);
    expect(hash({ kind: 'string', value: '5' })).not.toBe(five);
  });
});
