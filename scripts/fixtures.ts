import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseTransform } from '../packages/lake/src/schema/transform.ts';
import type { Field, Type } from '../packages/lake/src/schema/type.ts';
import { expireSnapshots, setRef } from '../test/support/maintenance/index.ts';
import { FixtureTable, type PlainRow } from './fixture-table.ts';

/**
 * Writes fixtures/tables/own_*: small tables by our own writer, one for each path that a reader can
 * take, with truth.json (scripts/fixture-table.ts). The tables keep the location at which they were
 * written, so every one is a moved table.
 *
 *   node scripts/fixtures.ts [NAME…]
 */
const OUT = fileURLToPath(new URL('../fixtures/tables/', import.meta.url));
const WAREHOUSE = mkdtempSync(join(tmpdir(), 'lhs-fixtures-'));

const field = (id: number, name: string, kind: string | Type, required = false): Field => ({
  id,
  name,
  required,
  type: typeof kind === 'string' ? ({ kind } as Type) : kind,
});
const FIELDS = [
  field(1, 'id', 'long', true),
  field(2, 'service', 'string'),
  field(3, 'at', 'timestamp'),
  field(4, 'title', 'string'),
];
const SERVICES = ['billing', 'a/b c', null, 'büro', 'search'];
const row = (id: number, title = `title ${id}`): PlainRow => ({
  id,
  service: SERVICES[id % SERVICES.length],
  at:
    id % 7 === 0
      ? null
      : `2025-01-${String(1 + (id % 3)).padStart(2, '0')}T0${id % 10}:00:00.000001`,
  title,
});
const rows = (from: number, to: number, title?: string): PlainRow[] =>
  Array.from({ length: to - from }, (_, i) => row(from + i, title && `${title} ${from + i}`));
const id = (r: PlainRow) => r.id as number;

async function positions(t: FixtureTable): Promise<void> {
  await t.create(FIELDS);
  await t.append(rows(0, 40));
  await t.delete('id % 5 = 0', (r) => id(r) % 5 === 0);
  await t.upsert([row(3, 'changed'), row(5, 'back again'), row(100)]);
  await t.append(rows(40, 60));
  await t.delete('id >= 30 AND id < 45', (r) => id(r) >= 30 && id(r) < 45);
  await t.delete("title LIKE '%1'", (r) => String(r.title).endsWith('1'));
}

const VARIANT_FIELDS = [...FIELDS, field(5, 'details', 'variant')];
const details = (i: number) =>
  [
    { kind: 'deploy', size: i, tags: ['a', `t${i}`], deep: { x: i / 4, none: null } },
    [1, 'two', false],
    `text ${i}`,
    i * 1e10,
    null,
    { kind: 'größer', 'odd key.': { '': [] } },
  ][i % 6];
const variantRow = (i: number, title?: string): PlainRow => ({
  ...row(i, title),
  details: details(i),
});

async function vectors(t: FixtureTable): Promise<void> {
  await t.create(VARIANT_FIELDS, { formatVersion: 3 });
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => variantRow(from + i));
  await t.append(some(0, 36));
  await t.delete('id % 4 = 1', (r) => id(r) % 4 === 1);
  await t.append(some(36, 48));
  await t.delete('id IN (2, 3, 40)', (r) => [2, 3, 40].includes(id(r)));
  await t.upsert([variantRow(1, 'back'), variantRow(4, 'changed'), variantRow(200)]);
  await t.delete('id >= 36 AND id < 48', (r) => id(r) >= 36 && id(r) < 48);
}

async function partitioned(t: FixtureTable): Promise<void> {
  const part = (fieldId: number, source: number, name: string, transform: string) => ({
    fieldId,
    name,
    sourceIds: [source],
    transform: parseTransform(transform),
  });
  const spec = {
    specId: 0,
    fields: [
      part(1000, 3, 'at_day', 'day'),
      part(1001, 1, 'id_bucket', 'bucket[2]'),
      part(1002, 4, 'title_trunc', 'truncate[2]'),
    ],
  };
  await t.create(FIELDS, { spec });
  await t.append(rows(0, 16));
  await t.upsert([row(4, 'büro öffnet'), row(5, '日本語'), row(50, '')]);
  await t.delete('"at" IS NULL OR id = 5', (r) => r.at === null || id(r) === 5);
}

async function equality(t: FixtureTable): Promise<void> {
  await t.create(FIELDS);
  await t.append(rows(0, 30));
  const byId = await t.equalityFile(['id'], [{ id: 2 }, { id: 3 }, { id: 999 }]);
  await t.commit({ operation: 'delete', addedDeletes: [byId] }, (all) =>
    all.filter((r) => ![2, 3].includes(id(r))),
  );
  await t.append([row(2, 'after the delete')]);
  const pairs = [
    { service: null, at: row(12).at },
    { service: 'billing', at: row(10).at },
  ];
  const byPair = await t.equalityFile(['service', 'at'], pairs);
  const added = await t.dataFile([row(60), { ...row(10), title: 'same commit, lives' }]);
  await t.commit({ addedDeletes: [byPair], addedData: [added] }, (all) => [
    ...all.filter((r) => !pairs.some((p) => p.service === r.service && p.at === r.at)),
    row(60),
    { ...row(10), title: 'same commit, lives' },
  ]);
  await t.delete('id = 60', (r) => id(r) === 60);
}

async function equalityPartitioned(t: FixtureTable): Promise<void> {
  const service = {
    fieldId: 1000,
    name: 'service',
    sourceIds: [2],
    transform: parseTransform('identity'),
  };
  await t.create(FIELDS, { spec: { specId: 0, fields: [service] } });
  await t.append(rows(0, 25));
  const titles = Array.from({ length: 25 }, (_, i) => ({ title: `title ${i}` }));
  const inBilling = await t.equalityFile(['title'], titles, { partition: ['billing'] });
  await t.commit({ operation: 'delete', addedDeletes: [inBilling] }, (all) =>
    all.filter((r) => r.service !== 'billing'),
  );
  const inNull = await t.equalityFile(['id'], [{ id: 2 }, { id: 3 }], { partition: [null] });
  await t.commit({ operation: 'delete', addedDeletes: [inNull] }, (all) =>
    all.filter((r) => !(r.service === null && id(r) === 2)),
  );
}

async function avro(t: FixtureTable): Promise<void> {
  await t.create([...FIELDS.slice(0, 2), field(5, 'score', 'double'), field(6, 'on', 'date')]);
  const plain = (i: number) => ({
    id: i,
    service: SERVICES[i % 5],
    score: i % 6 === 0 ? 'NaN' : i / 8,
    on: i % 5 === 0 ? null : '2025-02-28',
  });
  const inMemory = (i: number) => ({
    id: BigInt(i),
    service: SERVICES[i % 5],
    score: i % 6 === 0 ? Number.NaN : i / 8,
    on: i % 5 === 0 ? null : 20_147,
  });
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  const file = await t.avroFile(numbers.map(inMemory));
  await t.commit({ operation: 'append', addedData: [file] }, () => numbers.map(plain));
  await t.delete('id % 3 = 0', (r) => id(r) % 3 === 0);
  await t.append([{ ...plain(30), score: 0.125 }]);
  await t.upsert([{ ...plain(4), service: 'from Parquet' }]);
}

async function branches(t: FixtureTable): Promise<void> {
  await t.create(FIELDS);
  const first = await t.append(rows(0, 10));
  await setRef(t.config, 'audit', 'branch', first);
  t.pointAt('audit', first);
  await t.append(rows(10, 14), 'audit');
  const second = await t.append(rows(20, 24));
  await setRef(t.config, 'v1', 'tag', first);
  await t.append(rows(24, 26));
  await setRef(t.config, 'main', 'branch', second);
  t.pointAt('main', second);
  await t.append([row(70, 'after the rollback')]);
}

async function evolved(t: FixtureTable): Promise<void> {
  await t.create([...FIELDS, field(5, 'hits', 'int'), field(6, 'load', 'float')]);
  const old = (i: number) => ({ ...row(i), hits: i, load: i / 2 });
  await t.append([1, 2, 3, 4].map(old));
  await t.change({ kind: 'rename', from: 'title', to: 'headline' });
  await t.change({ kind: 'widen', name: 'hits', type: { kind: 'long' } });
  await t.change({ kind: 'widen', name: 'load', type: { kind: 'double' } });
  const place: Type = {
    kind: 'struct',
    fields: [field(0, 'x', 'double'), field(0, 'y', 'string')],
  };
  await t.change({ kind: 'add', name: 'place', type: place });
  const now = (i: number, hits: unknown) => ({
    id: i,
    service: 'new',
    at: null,
    headline: `headline ${i}`,
    hits,
    load: 0.1,
    place: i % 2 ? { x: 1.5, y: null } : null,
  });
  await t.append([now(5, '9007199254740993'), now(6, 6)]);
  await t.change({ kind: 'drop', name: 'service' });
  await t.delete('hits = 2', (r) => r.hits === 2);
  // a new column by an old name has nothing of the dropped one
  await t.change({ kind: 'add', name: 'service', type: { kind: 'string' } });
  await t.upsert([{ id: 3, at: null, headline: 'h', hits: 3, load: 3, place: null, service: 's' }]);
}

async function mapping(t: FixtureTable): Promise<void> {
  const names = FIELDS.map((f) => ({ 'field-id': f.id, names: [f.name] }));
  const properties = { 'schema.name-mapping.default': JSON.stringify(names) };
  await t.create(FIELDS, { properties });
  const file = await t.dataFile(rows(0, 12), { withoutIds: true });
  await t.commit({ operation: 'append', addedData: [file] }, () => rows(0, 12));
  await t.append(rows(12, 16));
  await t.delete('id = 3 OR id = 13', (r) => id(r) === 3 || id(r) === 13);
}

const LAYOUTS = [
  "COMPRESSION 'uncompressed'",
  "COMPRESSION 'snappy'",
  "COMPRESSION 'gzip'",
  "COMPRESSION 'zstd', PARQUET_VERSION V2",
  "COMPRESSION 'lz4_raw', PARQUET_VERSION V2",
  "COMPRESSION 'brotli', PARQUET_VERSION V2",
  "COMPRESSION 'zstd', DICTIONARY_SIZE_LIMIT 1",
  "COMPRESSION 'snappy', ROW_GROUP_SIZE 2048",
];

async function codecs(t: FixtureTable): Promise<void> {
  await t.create(FIELDS);
  for (const [i, options] of LAYOUTS.entries()) {
    const many = options.includes('ROW_GROUP');
    const part = rows(i * 30, i * 30 + (many ? 2100 : 30));
    const file = await t.dataFile(part, { options });
    await t.commit({ operation: 'append', addedData: [file] }, (all) => [...all, ...part]);
  }
  await t.delete('id % 11 = 0 AND id < 300', (r) => id(r) % 11 === 0 && id(r) < 300);
}

async function compacted(t: FixtureTable): Promise<void> {
  await t.create(FIELDS, { formatVersion: 3 });
  for (let i = 0; i < 4; i++) await t.append(rows(i * 10, i * 10 + 10));
  await t.delete('id % 3 = 0', (r) => id(r) % 3 === 0);
  const file = await t.dataFile([...t.plain('main')].reverse());
  const everything = { operation: 'replace', addedData: [file], removes: () => true } as const;
  await t.commit(everything, (all) => all);
  await t.upsert([row(1, 'after the compaction'), row(80)]);
}

const ODD_FIELDS = [
  field(1, 'the key', 'string', true),
  field(2, 'select', 'int'),
  field(3, 'naïve "quoted"', 'string'),
  field(4, 'a.b', 'decimal'),
  field(5, 'uuid', 'uuid'),
  field(6, 'blob', 'binary'),
  field(7, 'time', 'time'),
];
const ODD_KEYS = [
  '',
  ' ',
  'a,b',
  'k=v',
  'back\\slash',
  '"',
  "it's",
  'naïve',
  'נ',
  '日本',
  '👩‍👩‍👧',
  '\u{10fffd}',
];

async function oddNames(t: FixtureTable): Promise<void> {
  const fields = ODD_FIELDS.map((f) =>
    f.id === 4 ? { ...f, type: { kind: 'decimal', precision: 30, scale: 3 } as const } : f,
  );
  await t.create(fields);
  const odd = (key: string, i: number, note = `note ${i}`): PlainRow => ({
    'the key': key,
    select: -i,
    'naïve "quoted"': i % 3 ? note : null,
    'a.b': `${i}000000000000000000.125`,
    uuid: `00000000-0000-4000-8000-0000000000${String(i).padStart(2, '0')}`,
    blob: null,
    time: `00:00:${String(i).padStart(2, '0')}.000001`,
  });
  await t.append(ODD_KEYS.map((key, i) => odd(key, i + 1)));
  await t.delete(`"the key" = 'a,b'`, (r) => r['the key'] === 'a,b');
  await t.upsert([odd('k=v', 40, 'changed'), odd('a,b', 41, 'back')]);
}

async function expired(t: FixtureTable): Promise<void> {
  await t.create(FIELDS);
  await t.append(rows(0, 10));
  const kept = await t.append(rows(10, 20));
  await t.delete('id < 3', (r) => id(r) < 3);
  await t.append(rows(20, 22));
  await setRef(t.config, 'kept', 'tag', kept);
  await expireSnapshots(t.config, Date.now() + 60_000);
}

/** The metadata becomes gzip, and columns of old files get their initial default. */
function gzipMetadata(folder: string): void {
  const metadata = join(folder, 'metadata');
  const newest = readdirSync(metadata)
    .filter((name) => name.endsWith('.metadata.json'))
    .sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))
    .at(-1)!;
  const text = readFileSync(join(metadata, newest));
  unlinkSync(join(metadata, newest));
  writeFileSync(join(metadata, newest.replace('.metadata', '.gz.metadata')), gzipSync(text));
}

const TABLES: Readonly<Record<string, (t: FixtureTable) => Promise<void>>> = {
  positions,
  vectors,
  partitioned,
  equality,
  equality_partitioned: equalityPartitioned,
  avro,
  branches,
  evolved,
  mapping,
  codecs,
  compacted,
  odd_names: oddNames,
  expired,
  gzip: branches,
};

const wanted = process.argv.slice(2);
for (const [name, make] of Object.entries(TABLES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const table = new FixtureTable(WAREHOUSE, name);
  await make(table);
  const edit = name === 'gzip' ? gzipMetadata : undefined;
  process.stdout.write(`${await table.save(join(OUT, `own_${name}`), edit)}\n`);
}
rmSync(WAREHOUSE, { recursive: true });
