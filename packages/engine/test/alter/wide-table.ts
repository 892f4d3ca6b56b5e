import {
  appendRows,
  createTable,
  deleteRows,
  type Schema,
  type Type,
  upsertRows,
} from '@lakehouse-search/lake';
import { compactTable } from '../../../../test/support/maintenance/index.ts';
import { seededBelow } from '../../../../test/support/random.ts';

const COLUMNS: Readonly<Record<string, Type>> = {
  id: { kind: 'long' },
  title: { kind: 'string' },
  body: { kind: 'string' },
  org: { kind: 'string' },
  size: { kind: 'long' },
  price: { kind: 'double' },
  at: { kind: 'timestamp' },
  ok: { kind: 'boolean' },
  ip: { kind: 'string' },
};
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: Object.entries(COLUMNS).map(([name, type], i) => {
    return { id: i + 1, name, required: name === 'id', type };
  }),
};

const WORDS = ['night', 'nights', 'train', 'trains', 'running', 'disk', 'Full', 'slow', 'büro'];
const random = seededBelow(20_261_122);
const words = (most: number) =>
  Array.from({ length: 1 + random(most) }, () => WORDS[random(WORDS.length)]).join(' ');
const orNull = <T>(value: T): T | null => (random(7) === 0 ? null : value);

const rowOf = (id: number) => ({
  id,
  title: orNull(words(4)),
  body: orNull(words(30)),
  org: orNull(['a', 'b', 'c d', 'ü'][random(4)]),
  size: orNull(random(40) - 10),
  price: orNull(random(400) / 8),
  at: orNull(`2026-0${1 + random(9)}-1${random(10)}T00:00:00`),
  ok: orNull(random(2) === 0),
  ip: orNull(`10.0.${random(3)}.${random(9)}`),
});
const rowsOf = (from: number, count: number, step = 1) => {
  const rows = Array.from({ length: count }, (_, i) => rowOf(from + i * step));
  return { kind: 'rows', rows } as const;
};

/** A table with columns of many types, and the ids of its snapshots, oldest first. */
export interface WideTable {
  readonly source: { readonly catalog: object; readonly table: string };
  readonly snapshots: readonly string[];
}

/** Makes a table whose snapshots append, delete, update and compact rows. */
export async function makeWideTable(warehouse: string): Promise<WideTable> {
  const catalog = { type: 'filesystem', warehouse } as const;
  const source = { catalog, table: 'a.wide' };
  await createTable(catalog, source.table, { schema: SCHEMA });
  const done = [
    await appendRows(source, rowsOf(0, 150)),
    await appendRows(source, rowsOf(1000, 60)),
    await deleteRows(source, 'id % 6 = 1'),
    await upsertRows(source, rowsOf(3, 40, 3)),
    await appendRows(source, rowsOf(2000, 30)),
    await compactTable(source),
    await upsertRows(source, rowsOf(2, 30, 4)),
    await appendRows(source, rowsOf(3000, 25)),
    await deleteRows(source, 'id % 9 = 2'),
  ];
  return { source, snapshots: done.map(({ snapshot }) => snapshot!) };
}
