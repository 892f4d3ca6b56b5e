/**
 * Makes a golden index: fixtures/golden-v<format version>/, a small index as today's code writes
 * it, and expected.json, what it holds and answers, computed from the rows and not from the index.
 * A test opens every golden index from now on. Run it once for a new format version; a golden index
 * is never made again:
 *
 *     node scripts/golden.ts fixtures/golden-v3
 *     node scripts/golden.ts fixtures/golden-v4-shards 3
 *
 * With several shards, keys end in a hexadecimal number of 20 bytes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { simpleAnalyzer } from '../packages/engine/src/analysis/simple.ts';
import { dataFiles } from '../packages/engine/src/index/commits/data-files.ts';
import { IndexWriter } from '../packages/engine/src/index/index-writer.ts';
import type { FieldBlock } from '../packages/engine/src/schema/field-block.ts';
import type { FieldPlan } from '../packages/engine/src/schema/field-plan.ts';
import { encodeKey } from '../packages/engine/src/schema/keys/key.ts';
import { parseIp } from '../packages/engine/src/schema/values/ip-value.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { deleteAt, moveTo } from '../test/support/writer-edits.ts';

const folder = process.argv[2];
const shards = Number(process.argv[3] ?? 1);
if (folder === undefined || existsSync(folder)) {
  throw new Error('expected the name of a folder that does not exist yet');
}

const TEXT = { kind: 'text', analyzer: simpleAnalyzer } as const;
const KEYWORD = { kind: 'keyword' } as const;
const PLANS: readonly FieldPlan[] = [
  { id: 1, name: 'title', type: 'TEXT', inverted: TEXT, column: null, stored: true },
  { id: 2, name: 'service', type: 'KEYWORD', inverted: KEYWORD, column: 'ordinal', stored: false },
  { id: 3, name: 'tags', type: 'KEYWORD', inverted: KEYWORD, column: 'ordinal', stored: true },
  { id: 4, name: 'minutes', type: 'LONG', inverted: null, column: 'numeric', stored: false },
  { id: 5, name: 'cost', type: 'DOUBLE', inverted: null, column: 'numeric', stored: false },
  { id: 6, name: 'opened', type: 'DATE', inverted: null, column: 'numeric', stored: false },
  { id: 7, name: 'resolved', type: 'BOOL', inverted: null, column: 'numeric', stored: false },
  { id: 8, name: 'host', type: 'IP', inverted: null, column: 'ordinal', stored: false },
  { id: 9, name: 'codes', type: 'LONG', inverted: null, column: 'numeric', stored: true },
];

interface Row {
  readonly key: readonly [string, string];
  readonly file: number;
  readonly position: number;
  readonly title: string;
  readonly service: string;
  readonly tags: readonly string[];
  readonly minutes: number | null;
  readonly cost: number | null;
  readonly opened: bigint;
  readonly resolved: boolean | null;
  readonly host: string | null;
  readonly codes: readonly number[];
}

const SERVICES = ['checkout', 'search', 'café', 'login', 'πληρωμή'];
const WORDS = ['disk', 'full', 'slow', 'query', 'timeout', 'restart', 'Zürich', 'cache', 'retry'];

/** Words of each kind of term: in every row, in every 3rd, every 27th, and in few. */
function titleOf(i: number): string {
  const words = ['incident', WORDS[i % 9], WORDS[(i * 7 + 3) % 9]];
  if (i % 3 === 0) words.push('urgent', 'urgent');
  if (i % 27 === 0) words.push('weekly');
  if (i % 97 === 0) words.push(`rare${i % 11}`);
  if (i % 1301 === 0) words.push(...Array.from({ length: 300 }, (_, k) => `long${k % 40}`));
  return words.join(' ');
}

const shaOf = (i: number): string => createHash('sha1').update(String(i)).digest('hex');

function rowOf(i: number, file: number, position: number): Row {
  return {
    key: [`team${i % 3}`, shards === 1 ? `INC-${String(i).padStart(5, '0')}` : shaOf(i)],
    file,
    position,
    title: i % 211 === 0 ? '' : titleOf(i),
    service: SERVICES[(i * 3) % 5],
    tags: Array.from({ length: i % 4 }, (_, k) => `t${(i + 3 * k) % 10}`),
    minutes: i % 13 === 0 ? null : (i * 37) % 1000,
    cost: i % 17 === 0 ? null : (((i * 7919) % 20_011) - 10_000) / 8,
    opened: 1_700_000_000_000_000n + BigInt(i) * 90_000_000n,
    resolved: i % 5 === 0 ? null : i % 2 === 0,
    host:
      i % 7 === 0 ? null : i % 2 === 0 ? `10.0.${i % 4}.${i % 250}` : `2001:db8::${1 + (i % 98)}`,
    codes: Array.from({ length: i % 3 }, (_, k) => i * 1_000_003 - k),
  };
}

const running = (lengths: readonly number[]): Int32Array => {
  const starts = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => {
    starts[i + 1] = starts[i] + length;
  });
  return starts;
};

function bytesBlock(values: readonly (readonly Uint8Array[])[]): FieldBlock {
  const all = values.flat();
  return {
    kind: 'bytes',
    starts: running(values.map(({ length }) => length)),
    offsets: running(all.map(({ length }) => length)),
    bytes: Buffer.concat(all),
  };
}

function longBlock(values: readonly (readonly (number | bigint)[])[]): FieldBlock {
  const starts = running(values.map(({ length }) => length));
  return { kind: 'long', starts, values: BigInt64Array.from(values.flat(), BigInt) };
}

const one = <T>(value: T | null): readonly T[] => (value === null ? [] : [value]);
const utf8 = (text: string): Uint8Array => Buffer.from(text);
const keyOf = ({ key }: Row): Uint8Array => encodeKey(key);
const hashOf = (row: Row): bigint => {
  const digest = createHash('sha256').update(row.key.join('/')).digest();
  return digest.readBigUInt64LE();
};

function add(writer: IndexWriter, rows: readonly Row[]): void {
  const keys = rows.map(keyOf);
  writer.add({
    docs: rows.length,
    keyOffsets: running(keys.map(({ length }) => length)),
    keyBytes: Buffer.concat(keys),
    files: Int32Array.from(rows, ({ file }) => file),
    positions: Int32Array.from(rows, ({ position }) => position),
    hashes: BigUint64Array.from(rows, hashOf),
    hashed: { columns: ['1', '2', '7'] },
    fields: new Map<string, FieldBlock>([
      ['title', bytesBlock(rows.map(({ title }) => [utf8(title)]))],
      ['service', bytesBlock(rows.map(({ service }) => [utf8(service)]))],
      ['tags', bytesBlock(rows.map(({ tags }) => tags.map(utf8)))],
      ['minutes', longBlock(rows.map(({ minutes }) => one(minutes)))],
      [
        'cost',
        {
          kind: 'double',
          starts: running(rows.map(({ cost }) => one(cost).length)),
          values: Float64Array.from(rows.flatMap(({ cost }) => one(cost))),
        },
      ],
      ['opened', longBlock(rows.map(({ opened }) => [opened]))],
      ['resolved', longBlock(rows.map(({ resolved }) => one(resolved).map(Number)))],
      ['host', bytesBlock(rows.map(({ host }) => one(host).map((text) => parseIp(text)!)))],
      ['codes', longBlock(rows.map(({ codes }) => codes))],
    ]),
  });
}

/** Number of rows that a question finds, and a digest of their keys in order. */
function answer(rows: readonly Row[], wanted: (row: Row) => boolean) {
  const keys = rows.filter(wanted).map(({ key }) => key.join('/'));
  const digest = createHash('sha256').update(keys.sort().join('\n')).digest('hex');
  return { count: keys.length, digest };
}

const wordsOf = (row: Row): readonly string[] => row.title.toLowerCase().split(' ');

function answers(rows: readonly Row[]) {
  const term = (field: 'title' | 'service' | 'tags', value: string) => ({
    field,
    term: value,
    ...answer(rows, (row) =>
      field === 'title'
        ? wordsOf(row).includes(value)
        : field === 'service'
          ? row.service === value
          : row.tags.includes(value),
    ),
  });
  const range = (field: 'minutes' | 'cost' | 'codes', lo: number, hi: number) => ({
    field,
    lo,
    hi,
    ...answer(rows, (row) => [row[field]].flat().some((v) => v !== null && v >= lo && v <= hi)),
  });
  return {
    terms: [
      ...['incident', 'urgent', 'weekly', 'rare3', 'zürich', 'long39', 'absent'].map((word) =>
        term('title', word),
      ),
      ...['café', 'πληρωμή', 'Search'].map((value) => term('service', value)),
      ...['t0', 't9'].map((value) => term('tags', value)),
    ],
    ranges: [
      range('minutes', 100, 250),
      range('cost', -500.125, 0),
      range('codes', 2_000_000_000, 2_900_000_000),
    ],
  };
}

/** What a document gives back, as JSON. */
function told(row: Row) {
  const { key, file, position, title, service, tags, minutes, cost, resolved, host, codes } = row;
  const opened = String(row.opened);
  const hash = String(hashOf(row));
  const values = { title, service, tags, minutes, cost, opened, resolved, host, codes };
  return { key, file, position, hash, ...values };
}

mkdirSync(join(folder, 'index'), { recursive: true });
const writer = IndexWriter.open(openLocalDirectory(join(folder, 'index')), PLANS, {
  definitionVersion: 1,
  shards,
  now: () => 1_760_000_000_000,
});
/** One page, and three files that rows are in. */
const PATHS = [
  'data/a.parquet',
  'data/b.parquet',
  'data/c.parquet',
  ...Array.from({ length: 1000 }, (_, i) => `data/day=${i}/more.parquet`),
];
const deletes = [{ path: 'data/d.puffin', offset: 4, length: 44 }];
const files = dataFiles(
  PATHS.map((path) => ({ path, entries: [{ records: 4000, sequence: '1', deletes }] })),
);
const checkpoint = (snapshot: number) => ({
  table_uuid: '4e6f7420-6120-7265-616c-207461626c65',
  snapshot_id: `90071992547409${snapshot}`,
  sequence: String(snapshot),
  schema_id: 0,
  schema: { type: 'struct', 'schema-id': 0, fields: [] },
  data_files: PATHS.length,
  delete_files: 1,
});
const first = Array.from({ length: 4000 }, (_, i) => rowOf(i, i < 2500 ? 0 : 1, i % 2500));
const second = Array.from({ length: 150 }, (_, i) => rowOf(4000 + i, 2, 3 * i));
add(writer, first);
writer.commit({ checkpoint: checkpoint(1), files });
const dead = first.filter((_, i) => i % 19 === 0);
deleteAt(writer, dead);
add(writer, second);
const moved = first[1];
const from = { file: moved.file, position: moved.position };
moveTo(writer, { key: keyOf(moved), hash: hashOf(moved), from, to: { file: 2, position: 777 } });
writer.commit({ checkpoint: checkpoint(2), files });
writer.close();

const rows = [...first, ...second]
  .filter((row) => !dead.includes(row))
  .map((row) => (row === moved ? { ...row, file: 2, position: 777 } : row))
  .sort((a, b) => (a.key.join('/') < b.key.join('/') ? -1 : 1));
const expected = {
  docs: rows.length,
  deleted: dead.length,
  segments: writer.lastCommit.segments.length,
  snapshot: checkpoint(2).snapshot_id,
  sample: rows.filter((_, i) => i % 37 === 0).map(told),
  digest: createHash('sha256')
    .update(JSON.stringify(rows.map(told)))
    .digest('hex'),
  ...answers(rows),
};
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`);
