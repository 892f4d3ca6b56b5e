import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { TINY_DIMS, tinyModels } from '../../../../test/support/tiny-model.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: meaning, type: VECTOR, source: title, dims: ${TINY_DIMS}, model: tiny }`;
const FILES = 6;
const ROWS = 10;
const CHILD = fileURLToPath(new URL('./resume-child.ts', import.meta.url));
const FROM_SOURCE = fileURLToPath(
  new URL('../../../../test/support/from-source.ts', import.meta.url),
);

let lake: SmallLake;
const dataDir = () => join(lake.folder, 'data');
const append = (from: number, count = ROWS) =>
  lake.append(
    Array.from({ length: count }, (_, i) => ({ id: from + i, title: `row ${from + i}` })),
  );
const make = async (more = '') => {
  lake = await openSmallLake({ openEmbedder: tinyModels().open });
  await lake.create(schema);
  await append(0);
  await lake.build(`keep_previous: 0\n${FIELDS}${more}`);
  for (let file = 1; file < FILES; file++) await append(100 * file);
};
beforeEach(() => make());
afterEach(() => lake.close());

/** Runs a reindex that dies at a text (Infinity: never); the documents that it found. */
function run(at: number, resume = false): number | null {
  const args = ['--import', FROM_SOURCE, CHILD, dataDir(), String(at), resume ? 'resume' : ''];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.signal === 'SIGKILL') return null;
  expect(child.stderr.replaceAll(/^.*Warning.*$/gm, '').trim()).toBe('');
  return Number(child.stdout);
}
const generations = () => {
  const [uuid] = readdirSync(join(dataDir(), 'indexes'));
  const names = readdirSync(join(dataDir(), 'indexes', uuid));
  return names.filter((name) => name.startsWith('gen-')).sort();
};
const newest = async (backend: LocalEngine = lake.backend) => (await backend.listJobs())[0];

describe('a reindex that is resumed after a crash', () => {
  it('reads only the data files that were not complete', async () => {
    // the first file's texts are cached: the build dies in the fourth of six files
    expect(run(25)).toBeNull();
    expect(await newest()).toMatchObject({ state: 'failed', resumable: true });
    expect(await lake.backend.search({ query: 'row' })).toMatchObject({ total: ROWS });
    expect(generations()).toEqual(['gen-000001', 'gen-000002']);
    expect(run(Infinity, true)).toBe(3 * ROWS);
    expect(generations()).toEqual(['gen-000002']);
    expect(await newest()).toMatchObject({ state: 'done', result: { doc_count: FILES * ROWS } });
    expect((await lake.backend.listJobs())[1]).not.toHaveProperty('resumable');
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, faults: [] });
    await lake.expectRebuilt();
  });

  it('goes on from crash to crash, and follows the table to its head', async () => {
    expect(run(15)).toBeNull();
    await deleteRows(lake.source, 'id >= 100 AND id < 105');
    expect(run(15, true)).toBeNull();
    await append(900);
    expect(await lake.backend.sync({})).toMatchObject({ index_generation: 1 });
    expect(run(Infinity, true)).toBeGreaterThanOrEqual(3 * ROWS);
    const head = String(await lake.head());
    expect(await newest()).toMatchObject({
      state: 'done',
      result: { snapshot: head, doc_count: (FILES + 1) * ROWS - 5 },
    });
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, faults: [] });
    await lake.expectRebuilt();
  });

  it('survives other engines that open the index, and a sync of it', async () => {
    expect(run(25)).toBeNull();
    for (let i = 0; i < 2; i++) {
      const other = await openEngine(dataDir(), { create: true, threads: 0 });
      await other.search({ query: 'row' });
      await other.close();
    }
    await lake.backend.sync({});
    expect(generations()).toEqual(['gen-000001', 'gen-000002']);
    expect(await lake.backend.reindex({ resume: true })).toMatchObject({
      resumed_docs: 3 * ROWS,
      doc_count: FILES * ROWS,
    });
  });

  it('is refused if nothing can be resumed, and a new build discards what was left', async () => {
    const refused = { code: 'not_found', message: expect.stringContaining('to resume') };
    await expect(lake.backend.reindex({ resume: true })).rejects.toMatchObject(refused);
    expect(run(25)).toBeNull();
    await lake.backend.reindex({});
    expect(generations()).toEqual(['gen-000003']);
    await expect(lake.backend.reindex({ resume: true })).rejects.toMatchObject(refused);
    await expect(lake.backend.reindex({ resume: true, as_of: '1' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('that is canceled discards what was left', async () => {
    expect(run(25)).toBeNull();
    const { job_id } = await lake.backend.startJob({ kind: 'reindex', resume: true });
    await lake.backend.cancelJob({ job_id });
    const last = (await Array.fromAsync(lake.backend.watchJob({ job_id }))).at(-1);
    expect(last).toMatchObject({ state: 'canceled' });
    await lake.backend.search({ query: 'row' });
    if (!generations().includes('gen-000002')) expect(generations()).toEqual(['gen-000001']);
    else expect((await lake.backend.reindex({ resume: true })).resumed_docs).toBe(3 * ROWS);
  });
});

describe('a resumed reindex of a table with repeated keys', () => {
  it('keeps the last row of each key', async () => {
    await lake.close();
    await make('\non_duplicate_key: last');
    await append(100);
    await append(0);
    expect(run(25)).toBeNull();
    expect(run(Infinity, true)).toBeGreaterThan(0);
    expect(await newest()).toMatchObject({
      result: { doc_count: FILES * ROWS, dropped_duplicates: 2 * ROWS },
    });
    await lake.expectRebuilt();
  });
});

describe('a resumed reindex that skips rows', () => {
  it('counts those of the build before', async () => {
    const bad = { id: 0, title: 'x'.repeat(32_767) };
    await lake.close();
    await make('\n  - { name: exact, source: title, type: KEYWORD }\non_bad_row: skip');
    for (let file = FILES; file < 2 * FILES; file++) {
      const rows = [
        { id: 100 * file, title: `row ${100 * file}` },
        { ...bad, id: 100 * file + 1 },
      ];
      await lake.append(rows);
    }
    // The newest files are read first: those with skipped rows are complete by then.
    expect(run(25)).toBeNull();
    expect(run(Infinity, true)).toBeGreaterThan(0);
    const { result } = (await newest()) as { result?: { first_skipped_rows?: unknown } };
    expect(result).toMatchObject({ doc_count: FILES * ROWS + FILES, skipped_rows: FILES });
    expect(result?.first_skipped_rows).toHaveLength(FILES);
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, skipped_rows: FILES });
  });
});
