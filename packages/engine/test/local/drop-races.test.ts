import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeBatch } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileCall, interceptFiles } from '../../../../test/support/file-calls.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { type Clock, SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import { dropFolder, sweepFolders } from '../../src/open/dropped-folders.ts';
import {
  currentGeneration,
  indexFolder,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
  takeLock,
  tryLock,
} from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';

const schema = schemaOf({ id: 'long', title: 'string' });

/** `LHS_DROP_ROUNDS=500` races more often. */
const ROUNDS = Number(process.env.LHS_DROP_ROUNDS ?? 30);

let dataDir = '';
let backend: LocalEngine;
const opened: LocalEngine[] = [];
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
  const one = await openEngine(dataDir, { create: true, threads: 0, clock });
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

type Write = (one: LocalEngine) => Promise<unknown>;
let batch: ChangeBatch;
const writes: [string, Write][] = [
  ['sync', (one) => one.sync({ index: 'race' })],
  ['compact', (one) => one.compact({ index: 'race' })],
  ['verify --repair', (one) => one.verify({ index: 'race', repair: true })],
  ['applyBatch', (one) => one.applyBatch({ index: 'race', batch })],
  ['drop', (one) => one.dropIndex({ index: 'race' })],
];

/** Makes the index and builds it. */
async function build(): Promise<void> {
  await create();
  await backend.reindex({ index: 'race' });
  const checkpoint = await backend.getCheckpoint({ index: 'race' });
  const { table_uuid, snapshot_id, sequence, schema: columns, files } = checkpoint;
  const to = { snapshot_id, sequence, schema: columns, files };
  batch = { version: 1, table_uuid, from: null, to, parts: [] };
}

/** Drops the index in one synchronous step, as another process may between any two steps here. */
function dropNow(): void {
  const registry = new Registry(dataDir);
  const { uuid } = registry.get('race');
  registry.remove(uuid);
  registry.close();
  dropFolder(indexFolder(dataDir, uuid));
  sweepFolders(dataDir, () => new Set());
}

/** Replaces the live generation by a copy and sweeps it, unless another writer holds the lock. */
function replaceNow(): void {
  const folder = indexFolder(dataDir, uuidOf('race'));
  const lock = tryLock(folder);
  if (lock === null) return;
  const next = stageGeneration(folder);
  cpSync(currentGeneration(folder)!.path, next.path, { recursive: true });
  promoteGeneration(folder, next);
  sweepGenerations(folder);
  lock.release();
}

/**
 * Runs `work`, and `other` once in the middle of it: before the file call in the index's folder
 * for which `at` is true. False if there was no such call.
 */
async function interrupted(
  at: (call: FileCall, number: number) => boolean,
  other: () => void,
  work: () => Promise<unknown>,
): Promise<boolean> {
  let [calls, ran] = [0, false];
  const stop = interceptFiles(indexFolder(dataDir, uuidOf('race')), (call) => {
    if (ran || !at(call, ++calls)) return undefined;
    ran = true;
    other();
    return undefined;
  });
  try {
    await work();
  } finally {
    stop();
  }
  return ran;
}

describe('a write of an index that is dropped while the write takes the lock', () => {
  const steps = ['create', 'write', 'unlink'] as const;
  const cases = [
    ...writes.map(([name, write]) => [name, 'link', write] as const),
    ...steps.map((step) => [writes[0][0], step, writes[0][1]] as const),
  ];
  it.each(cases)(
    '%s, before the %s of the draft, throws index_not_found',
    async (_, step, write) => {
      await build();
      const ofDraft = ({ kind, path }: FileCall) => kind === step && /writer[.]lock[.]/.test(path);
      const written = interrupted(ofDraft, dropNow, () => write(backend));
      await expect(written).rejects.toMatchObject({ code: 'index_not_found' });
      expect(folders()).toEqual([]);
    },
  );
});

describe('a search', () => {
  /** The search of another process, which sweeps what a dead process left of its lock. */
  const search = async () => {
    const one = await open();
    const folder = indexFolder(dataDir, uuidOf('race'));
    writeFileSync(join(folder, 'writer.lock.left'), 'half of a lo');
    return async () => {
      const { total } = await one.search({ index: 'race', query: 'first' });
      expect(total).toBe(1);
    };
  };

  it('throws index_not_found, at whichever file call the index is dropped', async () => {
    for (let number = 1, ran = true; ran; number++) {
      await build();
      const work = await search();
      ran = await interrupted((_, n) => n === number, dropNow, work).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'index_not_found' });
        return true;
      });
    }
  });

  it('answers, at whichever file call a reindex replaces the generation', async () => {
    await build();
    for (let number = 1, ran = true; ran; number++) {
      const work = await search();
      ran = await interrupted((_, n) => n === number, replaceNow, work);
    }
  });
});

describe('a write that waits for the lock of an index that is dropped meanwhile', () => {
  const dropped = async (again: boolean, write: Write) => {
    await build();
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
  it('is refused while a reindex runs, which goes on', async () => {
    await create();
    const other = await open();
    let refused: Promise<unknown> | undefined;
    const progress = () => {
      refused ??= expect(other.dropIndex({ index: 'race' })).rejects.toMatchObject({
        code: 'index_busy',
        details: { job_id: expect.any(String), pid: process.pid },
      });
    };
    expect(await backend.reindex({ index: 'race' }, { progress })).toMatchObject({ doc_count: 1 });
    await refused;
    await other.dropIndex({ index: 'race' });
    expect(folders()).toEqual([]);
  });

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
