import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, openTable } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  compactTable,
  deleteKeys,
  expireSnapshots,
  overwriteRows,
  setProperties,
  setRef,
} from '../../../../../test/support/maintenance/index.ts';

/** As in operations.ts, on a table whose rows may share their key. */
export type RepeatOperation =
  | { readonly op: 'append' | 'overwrite'; readonly keys: readonly number[] }
  /** Single rows, not all of a key. */
  | { readonly op: 'delete'; readonly rows: readonly number[] }
  | { readonly op: 'compactTable' | 'expire' | 'reindex' }
  | { readonly op: 'sync'; readonly net: boolean }
  | { readonly op: 'deleteMode'; readonly copies: boolean }
  | { readonly op: 'rollback' | 'syncUntil'; readonly snapshot: number };

/** A table with repeated keys, and what happens to it and its index. */
export interface RepeatSchedule {
  readonly formatVersion: 2 | 3;
  /** Number of shards of the index that follows the table; the other one has one. */
  readonly shards: number;
  readonly operations: readonly RepeatOperation[];
}

const keys = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 });
const op = <K extends string>(name: K) => fc.constant(name);

/** One operation. */
const operation: fc.Arbitrary<RepeatOperation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: op('append'), keys }) },
  { weight: 1, arbitrary: fc.record({ op: op('overwrite'), keys }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: op('delete'),
      rows: fc.array(fc.nat(1000), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: op('compactTable') }) },
  { weight: 1, arbitrary: fc.record({ op: op('expire') }) },
  { weight: 1, arbitrary: fc.record({ op: op('deleteMode'), copies: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: op('rollback'), snapshot: fc.nat(1000) }) },
  { weight: 7, arbitrary: fc.record({ op: op('sync'), net: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: op('syncUntil'), snapshot: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ op: op('reindex') }) },
);

/** Schedules on tables with repeated keys. */
export const repeatSchedule: fc.Arbitrary<RepeatSchedule> = fc.record({
  formatVersion: fc.constantFrom(2, 3),
  shards: fc.constantFrom(1, 3),
  operations: fc.array(operation, { minLength: 3, maxLength: 10 }),
});

const COLUMNS = [
  { id: 1, name: 'id', required: true, type: { kind: 'long' } },
  { id: 2, name: 'name', required: true, type: { kind: 'string' } },
] as const;

const definition = (name: string, warehouse: string) => `version: 1
index: ${name}
source: { catalog: ${JSON.stringify({ type: 'filesystem', warehouse })}, table: a.t }
key: { identifier: [id] }
on_duplicate_key: last
fields:
  - { name: name, type: KEYWORD, cached: true }
`;

/**
 * Runs a schedule: after each sync the index equals another one that is built whole at the same
 * snapshot.
 */
export async function runRepeats(schedule: RepeatSchedule): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-repeats-'));
  const warehouse = join(folder, 'lake');
  const catalog = { type: 'filesystem', warehouse } as const;
  const { formatVersion } = schedule;
  const schema = { schemaId: 0, identifierFieldIds: [], fields: COLUMNS };
  await createTable(catalog, 'a.t', { schema, formatVersion });
  const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  try {
    const sharding = `sharding: { shards: ${schedule.shards} }\n`;
    const followed = definition('followed', warehouse) + sharding;
    await backend.createIndex({ definition: followed });
    await backend.createIndex({ definition: definition('fresh', warehouse) });
    await backend.reindex({ index: 'followed' });
    const run = new Run(backend, { catalog, table: 'a.t' });
    for (const operation of schedule.operations) await run.step(operation);
    await run.step({ op: 'sync', net: true });
  } finally {
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Run {
  readonly #backend: LocalEngine;
  readonly #config: Parameters<typeof appendRows>[0];
  #names = 0;

  constructor(backend: LocalEngine, config: Parameters<typeof appendRows>[0]) {
    this.#backend = backend;
    this.#config = config;
  }

  async step(operation: RepeatOperation): Promise<void> {
    const config = this.#config;
    switch (operation.op) {
      case 'append':
        await appendRows(config, this.#rows(operation.keys));
        return;
      case 'overwrite':
        await overwriteRows(config, this.#rows(operation.keys));
        return;
      case 'delete':
        return this.#delete(operation.rows);
      case 'compactTable':
        await compactTable(config);
        return;
      case 'expire':
        await expireSnapshots(config, Date.now() + 1000, { deleteFiles: true });
        return;
      case 'deleteMode':
        await setProperties(config, {
          'write.delete.mode': operation.copies ? 'copy-on-write' : null,
        });
        return;
      case 'rollback': {
        const id = await this.#pick(operation.snapshot);
        if (id !== null) await setRef(config, 'main', 'branch', id);
        return;
      }
      case 'reindex':
        await this.#backend.reindex({ index: 'followed' });
        return this.#compare();
      case 'sync':
        await this.#backend.sync({ index: 'followed', net: operation.net });
        return this.#compare();
      case 'syncUntil': {
        const id = await this.#pick(operation.snapshot);
        if (id !== null) await this.#backend.sync({ index: 'followed', until: String(id) });
        return this.#compare();
      }
    }
  }

  /** Rows whose names stand once in the table's life. */
  #rows(keys: readonly number[]) {
    const rows = keys.map((id) => ({ id, name: `row ${this.#names++}` }));
    return { kind: 'rows', rows } as const;
  }

  async #delete(picks: readonly number[]): Promise<void> {
    const table = await openTable(this.#config);
    const names: string[] = [];
    for await (const batch of table.scan({ columns: ['name'] })) {
      const [column] = batch.columns;
      if (column.kind !== 'utf8') throw new Error('name is a string');
      const text = Buffer.from(column.bytes);
      for (let i = 0; i < batch.rows; i++) {
        names.push(text.toString('utf8', column.offsets[i], column.offsets[i + 1]));
      }
    }
    await table.close();
    if (names.length === 0) return;
    const gone = new Set(picks.map((pick) => names.sort()[pick % names.length]));
    const rows = [...gone].map((name) => ({ name }));
    await deleteKeys(this.#config, rows, ['name']);
  }

  async #pick(number: number): Promise<bigint | null> {
    const table = await openTable(this.#config);
    await table.close();
    const { snapshots } = table;
    return snapshots.length === 0 ? null : snapshots[number % snapshots.length].id;
  }

  async #compare(): Promise<void> {
    const { snapshot } = await this.#backend.describeIndex({ index: 'followed' });
    const table = await openTable(this.#config);
    await table.close();
    if (snapshot !== null && !table.snapshots.some(({ id }) => String(id) === snapshot)) return;
    if (snapshot === null && table.currentSnapshotId !== null) return;
    await this.#backend.reindex({ index: 'fresh', ...(snapshot ? { as_of: snapshot } : {}) });
    expect(await this.#export('followed')).toEqual(await this.#export('fresh'));
  }

  async #export(index: string): Promise<unknown[]> {
    return Array.fromAsync(this.#backend.exportDocuments({ index }));
  }
}
