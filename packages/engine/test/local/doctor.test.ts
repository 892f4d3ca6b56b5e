/** What the doctor of an index finds: each fault is planted, found, and gone once it is mended. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { deleteRows, expireSnapshots } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { lockIndex } from '../../src/index/commits/writer-lock.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const FIELDS = `keep_previous: 3
fields:
  - { name: title, type: TEXT }
  - { name: meaning, type: VECTOR, source: title, model: ./m/tiny, dims: 8 }`;

let lake: SmallLake;
let models: ReturnType<typeof tinyModels>;
let gone: boolean;
let changed: boolean;
beforeEach(async () => {
  models = tinyModels();
  gone = changed = false;
  lake = await openSmallLake({
    openEmbedder: (name, from) => {
      if (gone) throw new LhsError('model_unavailable', `no model at "${name}"`);
      return models.open(changed ? `${name}-2` : name, from);
    },
  });
  await lake.create(SCHEMA);
  await append(1, 2, 3);
  await lake.build(FIELDS);
});
afterEach(() => lake.close());

const append = (...ids: readonly number[]) =>
  lake.append(ids.map((id) => ({ id, title: `row ${id}` })));
const folder = () => {
  const indexes = join(lake.folder, 'data', 'indexes');
  return join(indexes, readdirSync(indexes)[0]);
};
const live = () => currentGeneration(folder())!.path;
const registry = <T>(work: (registry: Registry) => T): T => {
  const open = new Registry(join(lake.folder, 'data'));
  try {
    return work(open);
  } finally {
    open.close();
  }
};
const kinds = async () =>
  (await lake.backend.diagnose({ index: 't' })).map(({ kind, level }) => `${kind} ${level}`);
const found = async (kind: string) =>
  (await lake.backend.diagnose({ index: 't' })).find((finding) => finding.kind === kind);

describe('the doctor of an index', () => {
  it('finds nothing but the missing backup of a sound index', async () => {
    expect(await kinds()).toEqual(['backup note']);
  });

  it('says why syncs fail, and since when, until one succeeds', async () => {
    const failure = async () => (await lake.backend.status({ index: 't' })).sync_failure;
    const sync = (until?: string) => lake.backend.sync({ index: 't', until });
    await expect(sync('nowhere')).rejects.toThrow();
    expect(await failure()).toBeUndefined();
    gone = true;
    await append(4);
    await expect(sync()).rejects.toMatchObject({ code: 'model_unavailable' });
    const first = await failure();
    expect(first).toMatchObject({ code: 'model_unavailable', message: 'no model at "./m/tiny"' });
    await expect(sync()).rejects.toThrow();
    expect(await failure()).toEqual(first);
    expect(await found('sync')).toMatchObject({
      level: 'problem',
      detail: `syncs fail since ${first?.since}: ${first?.message}`,
    });
    gone = false;
    await sync();
    expect([await failure(), await found('sync')]).toEqual([undefined, undefined]);
  });

  it('forgets why syncs failed after a build, and after a follower came to the head', async () => {
    const failure = async () => (await lake.backend.status({ index: 't' })).sync_failure?.code;
    const sync = () => lake.backend.sync({ index: 't' });
    await append(1);
    await expect(sync()).rejects.toThrow('key id=1 stands in two rows');
    expect(await failure()).toBe('source_invalid');
    await deleteRows(lake.source, 'id = 1');
    await lake.backend.reindex({ index: 't' });
    expect(await failure()).toBeUndefined();
    gone = true;
    await append(4);
    await expect(sync()).rejects.toThrow();
    expect(await failure()).toBe('model_unavailable');
    gone = false;
    for await (const { event } of lake.backend.follow({ index: 't', poll_ms: 10 })) {
      if (event === 'waiting') break;
    }
    expect(await failure()).toBeUndefined();
  });

  it('names files that nobody needs, and a compaction removes them', async () => {
    await lake.backend.reindex({});
    const kept = join(folder(), 'gen-000001');
    const old = Date.now() / 1000 - 7200;
    const planted = [
      join(live(), 'seg-dead.core'),
      join(kept, 'seg-dead.core'),
      join(folder(), 'gen-000077'),
      join(folder(), 'left-by-hand.tmp'),
    ];
    mkdirSync(planted[2]);
    for (const path of [planted[0], planted[1], join(planted[2], 'commit'), planted[3]]) {
      writeFileSync(path, 'x'.repeat(100));
    }
    utimesSync(planted[3], old, old);
    writeFileSync(join(folder(), 'just-written.tmp'), 'x');
    const finding = await found('orphans');
    expect(finding).toMatchObject({ level: 'note', bytes: 400 });
    for (const path of planted) expect(finding?.detail).toContain(path.slice(folder().length + 1));
    expect(finding?.detail).not.toContain('just-written');
    const done = await lake.backend.compact({});
    expect(done.orphans).toEqual({ removed: 4, bytes: 400 });
    expect(planted.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(folder(), 'just-written.tmp'))).toBe(true);
    expect(await found('orphans')).toBeUndefined();
    expect(await lake.backend.compact({})).not.toHaveProperty('orphans');
    expect(await lake.backend.verify({ deep: true })).toMatchObject({ equal: true });
    expect(await lake.backend.verify({ deep: true, generation: 1 })).toMatchObject({ equal: true });
  });

  it('does not look for them while a process writes the index', async () => {
    writeFileSync(join(live(), 'seg-new.core'), 'being written');
    const lock = lockIndex(folder());
    expect((await found('orphans'))?.detail).toContain('a process writes the index');
    expect(statSync(join(live(), 'seg-new.core')).size).toBeGreaterThan(0);
    lock.release();
  });

  it('removes nothing that builds and syncs beside a compaction write', async () => {
    const { backend } = lake;
    const waits: Promise<unknown>[] = [backend.reindex({})];
    for (let i = 0; i < 4; i++) {
      await append(10 + i);
      waits.push(backend.sync({}), backend.compact({}));
    }
    await Promise.all(waits);
    await backend.sync({});
    expect(await backend.verify({ deep: true })).toMatchObject({ equal: true, doc_count: 7 });
    const { generations = [] } = await backend.status({});
    for (const { generation } of generations) {
      expect(await backend.verify({ deep: true, generation })).toMatchObject({ equal: true });
    }
  });

  it('names locks of processes that have ended', async () => {
    const dead = { pid: 2 ** 22 + 1, host: hostname(), boot_id: 'x' };
    const text = JSON.stringify({ ...dead, started: '1', token: 'x' });
    writeFileSync(join(folder(), 'writer.lock.left'), text);
    expect(await found('stale_lock')).toMatchObject({ level: 'note' });
  });

  it('names merges that fail until one succeeds, as status and describe do', async () => {
    registry((open) => {
      const { uuid } = open.get('t');
      open.mergeFaults.note(uuid, { code: 'disk_full', message: 'no room' }, 1000);
      open.mergeFaults.note(uuid, { code: 'io_error', message: 'still no room' }, 2000);
    });
    const failure = {
      code: 'io_error',
      message: 'still no room',
      since: '1970-01-01T00:00:01.000Z',
    };
    expect((await lake.backend.status({})).merge_failure).toEqual(failure);
    expect((await lake.backend.describeIndex({})).merge_failure).toEqual(failure);
    expect(await found('merge')).toMatchObject({ level: 'problem' });
    await lake.backend.compact({});
    expect(await lake.backend.status({})).not.toHaveProperty('merge_failure');
    expect(await found('merge')).toBeUndefined();
  });

  it('names a missing model and a changed one', async () => {
    gone = true;
    expect(await found('model')).toMatchObject({ level: 'problem' });
    gone = false;
    changed = true;
    expect((await found('model'))?.detail).toContain('not the one that the index was built with');
    changed = false;
    expect(await found('model')).toBeUndefined();
  });

  it('names kept generations with their bytes, and jobs that failed last', async () => {
    await lake.backend.reindex({});
    const kept = await found('kept_generations');
    expect(kept).toMatchObject({ level: 'note', bytes: expect.any(Number) });
    models.failAfter = models.embedded;
    await append(4);
    await expect(lake.backend.reindex({})).rejects.toThrow();
    expect(await found('failed_job')).toMatchObject({
      detail: expect.stringContaining('the last reindex failed'),
    });
    await lake.backend.reindex({});
    expect(await found('failed_job')).toBeUndefined();
  });

  it('names a snapshot that the table has expired', async () => {
    await append(5);
    await append(6);
    await expireSnapshots(lake.source, {});
    expect(await found('snapshot_expiry')).toMatchObject({ level: 'problem' });
    await lake.backend.sync({});
    expect(await found('snapshot_expiry')).toBeUndefined();
  });

  it('names a table that cannot be reached, and still looks at the rest', async () => {
    renameSync(join(lake.folder, 'lake'), join(lake.folder, 'away'));
    expect(await kinds()).toEqual(['source problem', 'backup note']);
    renameSync(join(lake.folder, 'away'), join(lake.folder, 'lake'));
  });
});
