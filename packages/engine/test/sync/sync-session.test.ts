import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { deleteRows, type SourceTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { SyncSession } from '../../src/sync/sync.ts';

const SCHEMA = schemaOf({ id: 'long', text: 'string' });
const FIELDS = 'fields: [{ name: text, type: KEYWORD, cached: true }]';

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  await append(0, 10);
  await lake.build(FIELDS);
});
afterEach(() => lake.close());

const append = (from: number, to: number) => {
  const ids = Array.from({ length: to - from }, (_, i) => from + i);
  return lake.append(ids.map((id) => ({ id, text: `t${id}` })));
};

/** The live generation's folder, and a session on it that flushes after every few documents. */
function openSession(memoryBytes: number) {
  const indexes = join(lake.folder, 'data', 'indexes');
  const { path } = currentGeneration(join(indexes, readdirSync(indexes)[0]))!;
  const source = JSON.stringify(lake.source.catalog);
  const definition = requireDefinition(
    `version: 1\nindex: t\nsource: { catalog: ${source}, table: a.t }\n${FIELDS}\nkey: { ` +
      'identifier: [id] }\n',
    ANALYZER_CATALOG,
  );
  const directory = openLocalDirectory(path);
  const models = { index: 't', folder: path, baseDir: path, openEmbedder: tinyModels().open };
  const options = { directory, definition, definitionVersion: 1, models, memoryBytes };
  return { directory, session: SyncSession.open(options) };
}

/** The table with `during` called for every batch that is read. */
function watched(table: SourceTable, during: () => void): SourceTable {
  return new Proxy(table, {
    get(target, name) {
      if (name === 'read') {
        return async function* read(...given: Parameters<SourceTable['read']>) {
          for await (const batch of target.read(...given)) {
            yield batch;
            during();
          }
        };
      }
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a sync session', () => {
  test('hides the flushed segments of a large step until its commit', async () => {
    for (let i = 0; i < 4; i++) await append(10 + i * 5, 15 + i * 5);
    const { session, directory } = openSession(1);
    const files = new Set<number>();
    const seen = new Set<number>();
    const look = () => {
      files.add(directory.list().length);
      const snapshot = openSnapshot(directory);
      seen.add(snapshot.liveDocs);
      snapshot.release();
    };
    const table = await lake.table();
    const [first] = table.snapshots;
    await session.catchUp(watched(table, look), table.currentSnapshotId);
    expect(session.docs).toBe(30);
    await session.catchUp(table, first.id);
    seen.clear();
    files.clear();
    const { checkpoint } = session.commit;
    expect(checkpoint?.applied?.length).toBe(4);
    // Without ancestors the way back is one step of several files.
    const jumped = new Proxy(watched(table, look), {
      get: (target, name) => (name === 'ancestry' ? () => [] : Reflect.get(target, name)),
    });
    expect(await session.catchUp(jumped, table.currentSnapshotId)).toMatchObject({ inserted: 20 });
    expect(files.size).toBeGreaterThan(2);
    expect([...seen]).toEqual([10]);
    await session.close();
    await table.close();
    await lake.expectRebuilt();
  });

  test('keeps the earlier steps if a step fails or is interrupted', async () => {
    await append(10, 12);
    await deleteRows(lake.source, 'id = 0');
    await append(12, 14);
    const table = await lake.table();
    const { session } = openSession(1);
    const stop = new AbortController();
    const onCommit = () => stop.abort();
    const stopped = session.catchUp(table, table.currentSnapshotId, {
      signal: stop.signal,
      onCommit,
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(session.docs).toBe(12);
    let reads = 0;
    const failing = watched(table, () => {
      if (++reads === 1) throw new Error('the line is dead');
    });
    await expect(session.catchUp(failing, table.currentSnapshotId)).rejects.toThrow('line is dead');
    expect(session.docs).toBe(11);
    const done = await session.catchUp(table, table.currentSnapshotId);
    expect(done).toMatchObject({ snapshotsApplied: 1, inserted: 2 });
    await session.close();
    await table.close();
    await lake.expectRebuilt();
  });
});
