/** A table of notes for tests of a cluster, and the rows that it has to hold. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { schemaOf } from '../../../../test/support/schema.ts';
import type { NodeClient } from '../../src/cluster/node-client.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', day: 'date' });
/** A definition with a window for each month; only the newest one is hot. */
const WINDOWS = 'windows: { field: day, every: month, hot: 1 }\n';

/** The name of the index. */
export const INDEX = 'notes';

/** A table without a snapshot at first; each change is one snapshot. */
export class ClusterTable {
  readonly folder = mkdtempSync(join(tmpdir(), 'lhs-cluster-'));
  readonly rows = new Map<number, string>();
  readonly catalog = { type: 'filesystem' as const, warehouse: join(this.folder, 'lake') };
  readonly #config = { catalog: this.catalog, table: 'ops.notes' };
  readonly #settings: string;
  /** Snapshot of the last change. */
  head: string | null = null;

  /** `storage`: the index is at home in a store. */
  constructor(storage?: string, hasWindows = false) {
    const home = storage === undefined ? '' : `storage: ${storage}\n`;
    this.#settings = hasWindows ? home + WINDOWS : home;
  }

  async create(): Promise<this> {
    await createTable(this.catalog, 'ops.notes', { schema: SCHEMA, formatVersion: 2 });
    return this;
  }

  definition(shards: number, title = 'TEXT'): string {
    return `version: 1
index: ${INDEX}
source: { catalog: { type: filesystem, warehouse: "${this.catalog.warehouse}" }, table: ops.notes }
fields:
  - { name: title, type: ${title}, cached: true }
  - { name: id, type: LONG, cached: true }
  - { name: day, type: DATE }
sharding: { shards: ${shards} }
${this.#settings}`;
  }

  append(...ids: number[]): Promise<void> {
    return this.#change(appendRows(this.#config, { kind: 'rows', rows: this.#put(ids, 'note') }));
  }

  /** Replaces the rows of these ids, or adds them. */
  upsert(word: string, ...ids: number[]): Promise<void> {
    return this.#change(upsertRows(this.#config, { kind: 'rows', rows: this.#put(ids, word) }));
  }

  delete(from: number, to: number): Promise<void> {
    for (const id of [...this.rows.keys()]) if (id >= from && id < to) this.rows.delete(id);
    return this.#change(deleteRows(this.#config, `id >= ${from} AND id < ${to}`));
  }

  /** The rows of the table as texts, sorted. */
  expected(): readonly string[] {
    return [...this.rows].map(([id, title]) => `${id} ${title}`).sort();
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #put(ids: readonly number[], word: string) {
    return ids.map((id) => {
      const title = `${word} ${id}`;
      this.rows.set(id, title);
      return { id, title, day: `2026-0${1 + (id % 4)}-15` };
    });
  }

  async #change(commit: Promise<{ snapshot: string | null }>): Promise<void> {
    const { snapshot } = await commit;
    // a change of nothing makes no snapshot
    if (snapshot !== null) this.head = snapshot;
  }
}

/** The documents of all nodes as texts, sorted: a row that two nodes have is there twice. */
export async function documentsOf(nodes: readonly NodeClient[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const node of nodes) {
    const { indexes } = await node.state();
    if (!indexes.some(({ index }) => index === INDEX)) continue;
    for await (const { fields } of node.service().exportDocuments({ index: INDEX })) {
      found.push(`${fields.id} ${fields.title}`);
    }
  }
  return found.sort();
}
