/**
 * A table, its index at two states (one of them held by a point in time), and the model of each.
 */
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { ADDRESSES, LONGS, VALUES, WORDS } from '../../../../../test/support/oracle/corpus.ts';
import {
  addressOf,
  Model,
  type ModelDoc,
  type NearNode,
} from '../../../../../test/support/oracle/model.ts';
import { nearestOf, type Vector } from '../../../../../test/support/oracle/vectors.ts';
import { openSmallLake, type SmallLake } from '../../../../../test/support/small-lake.ts';
import { VECTORS } from './semantic-kinds.ts';

const COLUMNS = [
  ['id', 'string'],
  ['t1', 'string'],
  ['t2', 'string'],
  ['k1', 'string'],
  ['k2', 'string'],
  ['n1', 'long'],
  ['d1', 'double'],
  ['at', 'timestamptz'],
  ['b1', 'boolean'],
  ['ip', 'string'],
  ['v', 'list'],
] as const;
const FLOATS = { kind: 'list', elementId: 100, elementRequired: true, element: { kind: 'float' } };
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: COLUMNS.map(([name, kind], i) => ({
    ...{ id: i + 1, name, required: i === 0, type: kind === 'list' ? FLOATS : { kind } },
  })) as Schema['fields'],
};
const FIELDS = `fields:
  - { name: t1, type: TEXT, analyzer: simple, cached: true }
  - { name: t2, type: TEXT, analyzer: simple, cached: true }
  - { name: k1, type: KEYWORD, fast: true }
  - { name: k2, type: KEYWORD }
  - { name: n1, type: LONG }
  - { name: d1, type: DOUBLE }
  - { name: at, type: DATE }
  - { name: b1, type: BOOL }
  - { name: ip, type: IP }
  - { name: v, type: VECTOR, dims: 3 }`;

/** A row of the table, in JSON form. */
export interface MatrixRow {
  readonly [column: string]: string | number | boolean | null | Vector;
  readonly id: string;
  readonly t1: string | null;
  readonly t2: string | null;
  readonly k1: string | null;
  readonly k2: string | null;
  readonly n1: number | null;
  readonly d1: number | null;
  readonly at: string | null;
  readonly b1: boolean | null;
  readonly ip: string | null;
  readonly v: Vector | null;
}
/** What the index holds at one commit. */
export interface MatrixState {
  readonly live: readonly ModelDoc[];
  readonly vectors: ReadonlyMap<ModelDoc, Vector | null>;
  readonly model: Model;
}
export interface MatrixLake {
  readonly lake: SmallLake;
  /** Where the point in time stands, and where the index is now. */
  readonly before: MatrixState;
  readonly now: MatrixState;
  readonly pit_id: string;
  /** The table's rows now, by key. */
  readonly rows: ReadonlyMap<string, MatrixRow>;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 5 });
const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(' '));
const contents = fc.record({
  t1: maybe(sentence),
  t2: maybe(sentence),
  k1: maybe(fc.constantFrom(...VALUES)),
  k2: maybe(fc.constantFrom(...VALUES)),
  n1: maybe(fc.constantFrom(...LONGS).map(Number)),
  d1: maybe(fc.constantFrom(0.5, -1.25, 1e300, -3, 0)),
  at: maybe(fc.constantFrom('2020-01-01T00:00:00.000000', '1970-01-01T00:00:00.000001')),
  b1: maybe(fc.boolean()),
  ip: maybe(fc.constantFrom(...ADDRESSES)),
  v: maybe(fc.constantFrom(...VECTORS)),
});

const one = <T>(value: T | null): readonly T[] => (value === null ? [] : [value]);
function docOf(row: MatrixRow): ModelDoc {
  const at = row.at === null ? null : BigInt(Date.parse(`${row.at.slice(0, 19)}Z`)) * 1000n;
  return {
    version: 0,
    key: row.id,
    texts: { t1: one(row.t1), t2: one(row.t2) },
    words: { k1: one(row.k1), k2: one(row.k2) },
    numbers: {
      n1: one(row.n1 === null ? null : BigInt(row.n1)),
      n2: [],
      d1: one(row.d1),
      at: one(at === null ? null : at + BigInt(row.at!.slice(20))),
      b1: one(row.b1 === null ? null : BigInt(row.b1)),
    },
    addresses: { ip: one(row.ip === null ? null : addressOf(row.ip)) },
  };
}

/**
 * Builds it: rows in several commits, a point in time, deletes and more rows, a rebuild, more rows.
 */
export async function openMatrixLake(seed: number): Promise<MatrixLake> {
  const lake = await openSmallLake();
  await lake.create(SCHEMA);
  await lake.define(FIELDS);
  const pool = fc.sample(contents, { seed, numRuns: 150 });
  const all = pool.map((row, i): MatrixRow => ({ id: `k${(i * 7919) % 10_007}`, ...row }));
  const rows = new Map<string, MatrixRow>();
  const append = async (from: number, to: number) => {
    const added = all.slice(from, to);
    await lake.append(added);
    for (const row of added) rows.set(row.id, row);
    await lake.backend.sync({});
  };
  const state = (): MatrixState => {
    const vectors = new Map([...rows.values()].map((row) => [docOf(row), row.v]));
    const live = [...vectors.keys()];
    const nearest = (node: NearNode, docs: readonly ModelDoc[]) =>
      nearestOf(docs, (doc) => vectors.get(doc)!, {
        ...{ query: node.query_vector!, k: node.k ?? 100, similarity: 'cosine' },
        ...(node.min_score === undefined ? {} : { least: node.min_score }),
      });
    return { live, vectors, model: new Model(live, live, nearest) };
  };
  await lake.append(all.slice(0, 60));
  for (const row of all.slice(0, 60)) rows.set(row.id, row);
  await lake.backend.reindex({});
  await append(60, 90);
  await append(90, 100);
  const before = state();
  const { pit_id } = await lake.backend.openPit({ index: 't', keep_alive: '1h' });
  await deleteRows(lake.source, `id LIKE 'k3%'`);
  for (const id of [...rows.keys()]) if (id.startsWith('k3')) rows.delete(id);
  await lake.backend.reindex({});
  await append(100, 140);
  await append(140, 150);
  return { lake, before, now: state(), pit_id, rows };
}
