/**
 * A small table of our own writer with a snapshot for each kind of change, and beside it the rows
 * that each snapshot holds, kept as plain maps: what no reader of ours has had a part in.
 */

import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { compactTable, setRef } from './maintenance/index.ts';
import { schemaOf } from './schema.ts';

type PlainRow = { readonly id: number; readonly service: string; readonly title: string };
type Rows = ReadonlyMap<number, PlainRow>;

const SERVICES = ['billing', 'search', 'a b', 'büro'];
const rowOf = (id: number, word = 'title'): PlainRow => ({
  id,
  service: SERVICES[id % SERVICES.length],
  title: `${word} ${id} of ${SERVICES[(id * 7) % SERVICES.length]}`,
});
const rowsOf = (from: number, to: number, word?: string): PlainRow[] =>
  Array.from({ length: to - from }, (_, i) => rowOf(from + i, word));

const SCHEMA = schemaOf({ id: 'long', service: 'string', title: 'string' });

/** What a snapshot did, and what the table holds then. */
export interface KnownSnapshot {
  readonly id: string;
  readonly did: string;
  readonly rows: Rows;
}

/** A table in a warehouse folder, and the YAML of an index over it. */
export interface SmallTable {
  readonly warehouse: string;
  readonly definition: string;
  readonly snapshots: readonly KnownSnapshot[];
  /** Goes back to a snapshot: main's head is that one. */
  rollBack(id: string): Promise<void>;
}

/** Makes the table `t.small` with ten snapshots. */
export async function makeSmallTable(warehouse: string, wide = 1): Promise<SmallTable> {
  const catalog = { type: 'filesystem', warehouse } as const;
  const config = { catalog, table: 't.small' };
  await createTable(catalog, 't.small', { schema: SCHEMA });
  const snapshots: KnownSnapshot[] = [];
  const rows = new Map<number, PlainRow>();
  const note = (did: string, { snapshot }: { snapshot: string | null }) =>
    snapshots.push({ id: String(snapshot), did, rows: new Map(rows) });
  const put = (list: readonly PlainRow[]) => {
    for (const row of list) rows.set(row.id, row);
    return { kind: 'rows', rows: list } as const;
  };
  const drop = (which: (id: number) => boolean) => {
    for (const id of [...rows.keys()]) if (which(id)) rows.delete(id);
  };
  note('first', await appendRows(config, put(rowsOf(0, 40 * wide))));
  note('append', await appendRows(config, put(rowsOf(1000, 1000 + 30 * wide))));
  drop((id) => id % 5 === 0);
  note('delete', await deleteRows(config, 'id % 5 = 0'));
  const changed = [...rowsOf(1, 5, 'changed'), rowOf(10, 'back'), ...rowsOf(2000, 2008)];
  note('update', await upsertRows(config, put(changed)));
  note('compaction', await compactTable(config));
  for (let i = 0; i < 3; i++) {
    const list = rowsOf(3000 + 10 * i, 3006 + 10 * i);
    note('append', await appendRows(config, put(list)));
  }
  drop((id) => id > 2003 && id < 3003);
  note('delete', await deleteRows(config, 'id > 2003 AND id < 3003'));
  note('update', await upsertRows(config, put(rowsOf(1, 30, 'again'))));
  return {
    warehouse,
    definition: definitionOf(warehouse),
    snapshots,
    rollBack: (id) => setRef(config, 'main', 'branch', BigInt(id)),
  };
}

function definitionOf(warehouse: string): string {
  return `version: 1
index: t
source: { catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }, table: t.small }
key: { identifier: [id] }
fields:
  - { name: id, type: LONG, fast: true }
  - { name: service, type: KEYWORD, fast: true, cached: true }
  - { name: title, type: TEXT, cached: true }
  - { name: meaning, type: VECTOR, source: [service, title], model: ./tiny, dims: 8 }
`;
}

/** What `exportDocuments` must say of these rows, as one text. */
export function exportOf(rows: Rows): string {
  const documents = [...rows.values()].map(({ id, service, title }) => ({ id, service, title }));
  return textOf(documents);
}

/** Documents by id, whatever their order. */
export function textOf(documents: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = documents.map(({ id, service, title }) => JSON.stringify([id, service, title]));
  return lines.sort().join('\n');
}
