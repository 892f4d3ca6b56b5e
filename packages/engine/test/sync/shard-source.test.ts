import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireSnapshots } from '../../../../test/support/maintenance/index.ts';
import {
  exportOf,
  makeSmallTable,
  type SmallTable,
  textOf,
} from '../../../../test/support/small-table.ts';
import { type LocalEngine, openEngine } from '../../src/local-backend.ts';
import { type ShardPart, ShardSource } from '../../src/sync/shard-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-shard-source-'));
const SHARDS = 3;
let table: SmallTable;
let definition: string;

beforeAll(async () => {
  table = await makeSmallTable(join(folder, 'lake'));
  definition = table.definition
    .replace(/^ {2}- { name: meaning.*\n/m, '')
    .concat(`sharding: { shards: ${SHARDS} }\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;
/** An index at a snapshot of the table, and the table as a connector reads it. */
async function within<T>(
  at: number,
  work: (backend: LocalEngine, source: ShardSource) => Promise<T>,
  text = definition,
): Promise<T> {
  const backend = await openEngine(join(folder, `data-${++copies}`), { create: true, threads: 0 });
  const source = await ShardSource.open(text, folder);
  try {
    await backend.createIndex({ definition: text, base_dir: folder });
    await backend.reindex({ as_of: table.snapshots[at].id });
    return await work(backend, source);
  } finally {
    await source.close();
    await backend.close();
  }
}

/** Applies a step, and returns its parts. */
async function apply(backend: LocalEngine, source: ShardSource, to: string | null) {
  const step = await source.step(await backend.getCheckpoint({}), to);
  const parts: ShardPart[] = [];
  for await (const part of step.parts()) parts.push(JSON.parse(JSON.stringify(part)));
  const batch = { ...step.head, parts: parts.map(({ part }) => part) };
  await backend.applyBatch({ index: 't', batch });
  return parts;
}

async function exported(backend: LocalEngine): Promise<string> {
  const documents: Record<string, unknown>[] = [];
  for await (const { fields } of backend.exportDocuments({})) {
    documents.push({ ...fields, id: Number(fields.id) });
  }
  return textOf(documents);
}

const rowsIn = (parts: readonly ShardPart[]): number =>
  parts.reduce((n, { part }) => n + (part.kind === 'rows' ? part.positions.length : 0), 0);

describe('the steps that a connector reads for shards elsewhere', () => {
  it('lead an index through every snapshot of its table', () =>
    within(0, async (backend, source) => {
      const way = source.way(await backend.getCheckpoint({}));
      expect(way).toEqual(table.snapshots.slice(1).map(({ id }) => id));
      for (const [i, id] of way.entries()) {
        await apply(backend, source, id);
        expect(await exported(backend)).toBe(exportOf(table.snapshots[i + 1].rows));
      }
      expect(source.way(await backend.getCheckpoint({}))).toEqual([]);
      expect((await backend.verify({ deep: true })).equal).toBe(true);
    }));

  it('have each row once, in the part of the shard that the engine puts its key into', () =>
    within(0, async (backend, source) => {
      const docs = async () => (await backend.describeIndex({})).shards!.map((s) => s.num_docs);
      const before = await docs();
      const parts = await apply(backend, source, table.snapshots[1].id);
      const after = await docs();
      expect(rowsIn(parts)).toBe(30);
      for (const [shard, count] of after.entries()) {
        const own = rowsIn(parts.filter((part) => part.shard === shard));
        expect(own).toBe(count - before[shard]);
        expect(own).toBeGreaterThan(0);
      }
    }));

  it('send removed positions to all shards, and read no row for them', () =>
    within(1, async (backend, source) => {
      const parts = await apply(backend, source, table.snapshots[2].id);
      expect(parts.length).toBeGreaterThan(0);
      expect(parts.every(({ shard, part }) => shard === null && part.kind === 'removed')).toBe(
        true,
      );
    }));

  it('contain every live row if rows that lost to others may come back', () =>
    within(
      1,
      async (backend, source) => {
        const parts = await apply(backend, source, table.snapshots[2].id);
        expect(rowsIn(parts)).toBe(table.snapshots[2].rows.size);
        expect(await exported(backend)).toBe(exportOf(table.snapshots[2].rows));
      },
      `${definition}on_duplicate_key: last\n`,
    ));

  it('lead back after a rollback, and past snapshots that have expired', async () => {
    const config = {
      catalog: { type: 'filesystem' as const, warehouse: table.warehouse },
      table: 't.small',
    };
    const head = table.snapshots.at(-1)!;
    await within(2, async (backend, source) => {
      await table.rollBack(table.snapshots[1].id);
      await source.refresh();
      expect(source.way(await backend.getCheckpoint({}))).toEqual([table.snapshots[1].id]);
      await apply(backend, source, source.head);
      expect(await exported(backend)).toBe(exportOf(table.snapshots[1].rows));
      await table.rollBack(head.id);
    });
    await within(3, async (backend, source) => {
      await expireSnapshots(config, Date.now() + 1000);
      await source.refresh();
      expect(source.way(await backend.getCheckpoint({}))).toEqual([head.id]);
      await apply(backend, source, head.id);
      expect(await exported(backend)).toBe(exportOf(head.rows));
    });
  });
});
