import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChangeBatch, type LocalBackend, openLocal } from '@lakehouse-search/engine';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, SYSTEM_CLOCK } from '../../src/base/clock.ts';
import { dropFolder } from '../../src/open/dropped-folders.ts';
import { indexFolder, takeLock } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    { id: 2, name: 'title', required: false, type: { kind: 'string' } },
  ],
};

/** `LHS_DROP_ROUNDS=500` races more often. */
const ROUNDS = Number(process.env.LHS_DROP_ROUNDS ?? 30);

let dataDir = '';
let backend: LocalBackend;
const opened: LocalBackend[] = [];
const config = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(dataDir, 'lake') },
  table: 'a.t',
});
const definition = (index: string) =>
  `version: 1\nindex: ${index}\nsource: { catalog: { type: filesystem, warehouse: ./lake ` +
  '}, table: a.t }\n' +
  'fields:\n  - { name: title, type: TEXT }\n';
const create = (index = 'race') =>
  backend.createIndex({ definition: definition(index), base_dir: dataDir });
const open = async (clock?: Clock) => {
  const one = await openLocal(dataDir, { clock });
  opened.push(one);
  return one;
};
const folders = () => readdirSync(join(dataDir, 'indexes'));
const uuidOf = (name: string) => {
  const registry = new Registry(dataDir);
  try {
    return registry.get(name).uuid;
  } finally {
    registry.close();
  }
};

/** A clock whose first sleep runs `during` and ends with it. */
function clockThatRuns(during: () => Promise<void>): Clock {
  let ran = false;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ran) return SYSTEM_CLOCK.sleep(ms, signal);
    ran = true;
    await during();
  };
  return { ...SYSTEM_CLOCK, sleep };
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-drop-races-'));
  await createTable(config().catalog, 'a.t', { schema });
  await appendRows(config(), { kind: 'rows', rows: [{ id: 1, title: 'first' }] });
  backend = await open();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(dataDir, { recursive: true, force: true });
});

type Write = (one: LocalBackend) => Promise<unknown>;
let batch: ChangeBatch;
const writes: [string, Write][] = [
  ['reindex', (one) => one.reindex({ index: 'race' })],
  ['sync', (one) => one.sync({ index: 'race' })],
  ['compact', (one) => one.compact({ index: 'race' })],
  ['verify --repair', (one) => one.verify({ index: 'race', repair: true })],
  ['applyBatch', (one) => one.applyBatch({ index: 'race', batch })],
  ['drop', (one) => one.dropIndex({ index: 'race' })],
];

describe('a write that waits for the lock of an index that is dropped meanwhile', () => {
  const dropped = async (again: boolean, write: Write) => {
    await create();
    await backend.reindex({ index: 'race' });
    const {
      table_uuid,
      snapshot_id,
      sequence,
      schema: columns,
      files,
    } = await backend.getCheckpoint({ index: 'race' });
    const to = { snapshot_id, sequence, schema: columns, files };
    batch = { version: 1, table_uuid, from: null, to, parts: [] };
    const lock = takeLock(indexFolder(dataDir, uuidOf('race')), 'race', 'test');
    const waiting = await open(
      clockThatRuns(async () => {
        lock.release();
        await backend.dropIndex({ index: 'race' });
        if (again) await create();
      }),
    );
    await expect(write(waiting)).rejects.toMatchObject({
      code: 'index_not_found',
      message: 'index "race" was dropped meanwhile',
    });
    return backend.listIndexes();
  };

  it.each(writes)('%s throws index_not_found and leaves no folder', async (_, write) => {
    expect(await dropped(false, write)).toEqual([]);
    expect(folders()).toEqual([]);
  });

  it.each(writes)('%s leaves a new index of the same name alone', async (_, write) => {
    expect(await dropped(true, write)).toMatchObject([{ name: 'race', num_docs: 0 }]);
    expect(folders()).toEqual([]);
    expect(await backend.reindex({ index: 'race' })).toMatchObject({ doc_count: 1 });
  });
});

describe('a drop', () => {
  it('that ended between registry and folder leaves nothing to build or find', async () => {
    await create();
    await create('other');
    await backend.reindex({ index: 'race' });
    await backend.reindex({ index: 'other' });
    const [gone, kept] = [uuidOf('race'), uuidOf('other')];
    const registry = new Registry(dataDir);
    registry.remove(gone);
    registry.close();
    await expect(backend.search({ index: 'race' })).rejects.toMatchObject({
      code: 'index_not_found',
    });
    expect(folders().sort()).toEqual([gone, kept].sort());
    const next = await open();
    expect(await next.search({ index: 'other', query: 'first' })).toMatchObject({ total: 1 });
    expect(folders()).toEqual([kept]);
  });

  it('that ended between the folder and its removal is ended by the next engine', async () => {
    await create();
    await create('other');
    await backend.reindex({ index: 'other' });
    await backend.reindex({ index: 'race' });
    dropFolder(indexFolder(dataDir, uuidOf('race')));
    expect(folders()).toHaveLength(2);
    const next = await open();
    await next.search({ index: 'other', query: 'first' });
    expect(folders()).toEqual([uuidOf('other')]);
  });
});

describe('writers, readers and drops of one name at once', () => {
  const CODES = ['index_not_found', 'index_not_built', 'index_busy', 'index_exists', 'not_found'];

  it(`end by name in ${ROUNDS} rounds and leave one folder for each index`, async () => {
    const [a, b, c] = [await open(), await open(), await open()];
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 3;
      const calls = [
        () => a.reindex({ index: 'race' }),
        () => b.dropIndex({ index: 'race' }),
        () => c.reindex({ index: 'race' }),
        () => a.search({ index: 'race' }),
        () => b.openPit({ index: 'race' }),
        () => c.sync({ index: 'race' }),
        () => a.setAlias({ alias: 'now', index: 'race' }),
        () => b.compact({ index: 'race' }),
        () => b.createIndex({ definition: definition('race'), base_dir: dataDir }),
      ];
      const ordered = [...calls.slice(first), ...calls.slice(0, first)];
      for (const end of await Promise.allSettled(ordered.map((call) => call()))) {
        if (end.status === 'rejected') seen.add(end.reason.code ?? String(end.reason));
      }
    }
    expect([...seen].filter((code) => !CODES.includes(code))).toEqual([]);
    const registry = new Registry(dataDir);
    const uuids = registry.uuids();
    registry.close();
    expect(folders().filter((name) => !uuids.has(name))).toEqual([]);
  });
});

describe('the sweep of folders', () => {
  it('leaves alone what is no folder of an index', async () => {
    await create();
    await backend.reindex({ index: 'race' });
    mkdirSync(join(dataDir, 'indexes', 'notes of mine'));
    await (await open()).search({ index: 'race' });
    expect(folders().sort()).toEqual(['notes of mine', uuidOf('race')].sort());
  });
});
