/**
 * An erasure check finds remains in each place, each planted by what really leaves them there, and
 * none after a run.
 */
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRows, upsertRows } from '@lakehouse-search/lake';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { type EraseLake, KEY, openEraseLake, SECRET } from './erase-lake.ts';

let lake: EraseLake;
beforeEach(async () => {
  lake = await openEraseLake();
});
afterEach(async () => {
  lake.registry.close();
  await lake.close();
});

const KEYS = { index: 't', keys: [KEY] };
const folder = () => indexFolder(lake.dataDir, lake.registry.get('t').uuid);
const live = () => currentGeneration(folder())!.path;

/** A run leaves nothing, and the rest of the index is as a build of the table gives. */
async function expectErased(request: object = {}, check: object = {}) {
  const { report, receipt } = await lake.backend.runErasure({ ...KEYS, ...request });
  expect(report.remains).toEqual([]);
  expect(report.clean).toBe(true);
  expect(receipt.statement.clean).toBe(true);
  expect(await lake.places({ ...check })).toEqual([]);
  expect((await lake.backend.verify({ index: 't', deep: true })).equal).toBe(true);
}

describe('an erasure check', () => {
  it('finds the row in the table and in the live index, and a run refuses', async () => {
    const report = await lake.backend.checkErasure(KEYS);
    expect(report).toMatchObject({ clean: false, in_table: [0], snapshot: expect.any(String) });
    expect(report.remains[0]).toMatchObject({ place: 'live_document', key: 0, goes: 'sync' });
    await expect(lake.backend.runErasure(KEYS)).rejects.toMatchObject({ code: 'already_exists' });
    await lake.deleteRow();
    const after = await lake.backend.checkErasure(KEYS);
    expect(after.in_table).toEqual([]);
    expect(after.remains[0]).toMatchObject({ place: 'live_document' });
    await expect(lake.backend.runErasure(KEYS)).rejects.toMatchObject({
      code: 'snapshot_not_reached',
    });
  });

  it('finds a deleted document in terms, columns, cached values, vectors and keys', async () => {
    await lake.deleteAndSync();
    const { remains, table_snapshots } = await lake.backend.checkErasure(KEYS);
    const own = remains.find(({ place }) => place === 'deleted_document');
    expect(own).toMatchObject({ key: 0, goes: 'merge' });
    expect(own!.fields).toEqual([
      { field: 'note', parts: ['terms', 'stored'], own_terms: 6 },
      { field: 'person', parts: ['terms', 'column'], own_terms: 1 },
      { field: 'size', parts: ['column'] },
      { field: 'meaning', parts: ['vector'] },
    ]);
    expect(table_snapshots).toMatchObject([{ keys: [0] }]);
    await expectErased();
  });

  it('finds the vector of a text in the cache after its document was merged away', async () => {
    await lake.deleteAndSync();
    await lake.backend.compact({ index: 't' });
    const { remains } = await lake.backend.checkErasure(KEYS);
    expect(remains).toMatchObject([{ place: 'embedding_cache', key: 0, goes: 'erase' }]);
    await expectErased();
  });

  it('finds the vector of a former text, and leaves one that another row uses', async () => {
    const row = { org: 'acme', person: 'quilbert-4711', size: 1 };
    await upsertRows(lake.source, { kind: 'rows', rows: [{ ...row, note: 'gone in between' }] }, [
      'org',
      'person',
    ]);
    await lake.backend.sync({ index: 't' });
    await appendRows(lake.source, {
      kind: 'rows',
      rows: [{ org: 'acme', person: 'twin', note: SECRET, size: 5 }],
    });
    await lake.deleteAndSync();
    await lake.backend.compact({ index: 't' });
    const { remains, notes } = await lake.backend.checkErasure(KEYS);
    expect(remains).toMatchObject([{ place: 'embedding_cache', key: 0 }]);
    expect(remains[0].detail).toBe("1 vectors of the row's texts");
    expect(notes).toEqual([]);
    await expectErased();
  });

  it('finds a commit that a point in time needs, and says when it expires', async () => {
    const { expires_at } = await lake.backend.openPit({ index: 't', keep_alive: '30m' });
    await lake.deleteAndSync();
    await lake.backend.compact({ index: 't' });
    const { remains } = await lake.backend.checkErasure(KEYS);
    const own = remains.find(({ place }) => place === 'pinned_commit');
    expect(own).toMatchObject({ key: 0, goes: 'expiry', until: expires_at });
    const left = await lake.backend.runErasure(KEYS);
    expect(left.report.remains).toMatchObject([{ place: 'pinned_commit', until: expires_at }]);
    expect(left.receipt.statement).toMatchObject({
      clean: false,
      remains: [{ place: 'pinned_commit', key: 0, goes: 'expiry', until: expires_at }],
    });
    await expectErased({ close_pits: true });
  });

  it('finds a kept generation, and a run rewrites it or lets it go', async () => {
    cpSync(live(), join(folder(), 'gen-000099'), { recursive: true });
    const until = Date.now() + 3_600_000;
    nameGeneration(99, 'kept', until);
    await lake.deleteAndSync();
    const { remains } = await lake.backend.checkErasure(KEYS);
    const own = remains.find(({ place }) => place === 'kept_generation');
    expect(own).toMatchObject({ key: 0, goes: 'expiry', until: new Date(until).toISOString() });
    await expectErased();
  });

  it('finds what a crashed reindex left', async () => {
    cpSync(live(), join(folder(), 'gen-000099'), { recursive: true });
    nameGeneration(99, 'staged', Date.now() + 3_600_000);
    await lake.deleteAndSync();
    expect(await lake.places()).toContain('staged_generation');
    await expectErased();
  });

  it('finds generations and files that nothing names', async () => {
    cpSync(live(), join(folder(), 'gen-000098'), { recursive: true });
    const names = readdirSync(live());
    for (const name of names.filter((one) => /^s\d+\./.test(one))) {
      cpSync(join(live(), name), join(live(), name.replace(/^s\d+/, 's000777')));
    }
    await lake.deleteRow();
    const { remains } = await lake.backend.checkErasure(KEYS);
    const left = remains.filter(({ place }) => place === 'unreferenced_file');
    const where = left.map((one) => one.where.split('/').slice(2).join('/'));
    expect(where).toContain('gen-000098/s000001');
    expect(where).toContain('gen-000001/s000777.keys');
    expect(where).toContain('gen-000001/s000777.f0.text');
    await lake.backend.sync({ index: 't' });
    await expectErased();
  });

  it('cannot attribute a file without keys, so it counts', async () => {
    await lake.deleteAndSync();
    await lake.backend.runErasure(KEYS);
    writeFileSync(join(live(), 's000888.f1.text'), 'torn');
    const { remains } = await lake.backend.checkErasure(KEYS);
    expect(remains).toMatchObject([{ place: 'unreferenced_file', key: null, goes: 'commit' }]);
    await expectErased();
  });

  it('finds saved queries that mention the key or a text, free pages included', async () => {
    const save = (name: string, query: string) =>
      lake.backend.createSavedQuery({ name, request: { index: 't', query } });
    await save('by key', 'person:"quilbert-4711"');
    await save('by text', 'note:quilbertson');
    await save('harmless', 'note:well');
    const { id } = await save('deleted', 'person:"quilbert-4711" freepage');
    await lake.backend.deleteSavedQuery({ id });
    await lake.deleteAndSync();
    const texts = ['quilbertson'];
    const { remains } = await lake.backend.checkErasure({ ...KEYS, texts });
    const own = remains.filter(({ place }) => place === 'saved_query');
    expect(own.map(({ key }) => key).sort()).toEqual([0, null]);
    await expectErased({ texts }, { texts });
    const names = (await lake.backend.listSavedQueries()).map(({ name }) => name);
    expect(names).toEqual(['harmless']);
    expect(readFileSync(join(lake.dataDir, 'registry.db')).includes('quilbert')).toBe(false);
  });

  it('finds past queries of the screen', async () => {
    const history = join(lake.dataDir, 'tui-history.ndjson');
    const line = (query: string) => `${JSON.stringify({ index: 't', query })}\n`;
    appendFileSync(history, line('well') + line('acme "quilbert-4711"') + line('number'));
    await lake.deleteAndSync();
    expect(await lake.places()).toContain('query_history');
    await expectErased();
    expect(readFileSync(history, 'utf8')).toBe(line('well') + line('number'));
  });

  it('finds job records', async () => {
    const { uuid } = lake.registry.get('t');
    const { id } = lake.registry.jobs.start(uuid, 'reindex', 1)!;
    lake.registry.jobs.apply(id, 'build_started', 2);
    const message = 'row org=acme, person=quilbert-4711: its "size" is no LONG';
    const error = { code: 'source_invalid', message, details: {} } as const;
    lake.registry.jobs.apply(id, 'build_failed', 3, { error });
    await lake.deleteAndSync();
    expect(await lake.places()).toContain('job_record');
    await expectErased();
  });

  it('finds the reason of a failed sync', async () => {
    const { uuid } = lake.registry.get('t');
    await lake.deleteAndSync();
    const message = 'key org=acme, person=quilbert-4711 stands in two rows';
    lake.registry.syncFaults.note(uuid, { code: 'source_invalid', message }, 1);
    expect(await lake.places()).toContain('job_record');
    await expectErased();
    expect(lake.registry.syncFaults.of(uuid)).toBeNull();
  });

  it('finds backups by their documents, caches and saved queries', async () => {
    const { backup } = await lake.backend.backup({ index: 't', target: lake.backups });
    await lake.deleteAndSync();
    const backups = [lake.backups];
    const { remains } = await lake.backend.checkErasure({ ...KEYS, backups });
    const own = remains.filter(({ place }) => place === 'backup');
    expect(own.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^document \d+ of segment/),
      '1 vectors of texts that no live row has',
    ]);
    expect(own[0].where).toContain(backup);
    const kept = await lake.backend.runErasure({ ...KEYS, backups });
    expect(kept.report.remains.map(({ place }) => place)).toEqual(['backup', 'backup']);
    await expectErased({ backups, replace_backups: true }, { backups });
    const left = await lake.backend.listBackups({ target: lake.backups });
    expect(left).toMatchObject([{ index: 't', num_docs: 30 }]);
    expect(left[0].backup).not.toBe(backup);
  });

  it('finds stray files by their bytes', async () => {
    await lake.deleteAndSync();
    await lake.backend.runErasure(KEYS);
    writeFileSync(join(lake.dataDir, 'dump.txt'), `x${'y'.repeat(3 << 20)} quilbert-4711 z`);
    expect(await lake.places()).toEqual([]);
    const { remains, examined } = await lake.backend.checkErasure({ ...KEYS, deep: true });
    expect(remains).toMatchObject([{ place: 'other_file', key: 0, where: 'dump.txt' }]);
    expect(examined.bytes).toBeGreaterThan(3 << 20);
  });
});

/** Names a generation in the registry, as a build and a cutover do. */
function nameGeneration(number: number, state: 'kept' | 'staged', untilMs: number): void {
  const file = new Database(join(lake.dataDir, 'registry.db'));
  const { uuid } = lake.registry.get('t');
  file
    .prepare('INSERT INTO generations (uuid, number, state, until_ms) VALUES (?, ?, ?, ?)')
    .run(uuid, number, state, untilMs);
  file.close();
}
