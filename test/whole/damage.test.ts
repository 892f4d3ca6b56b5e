// @module-tag campaign

import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchResponse } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LhsError } from '../../packages/contract/src/index.ts';
import { openLocalDirectory, openSnapshot } from '../../packages/engine/src/internal.ts';
import { openEngine } from '../../packages/engine/src/local-backend.ts';
import { openTable } from '../../packages/lake/src/index.ts';
import { checkIndex } from '../support/check-index.ts';
import { byEffort } from '../support/effort.ts';
import { seededBelow } from '../support/random.ts';
import { makeSmallTable } from '../support/small-table.ts';
import { tinyModels } from '../support/tiny-model.ts';

/**
 * Files of two indexes, cut short, with a bit turned over, a page zeroed or two pages swapped, at
 * random places, or replaced by what another file held: every question is answered as before the
 * damage, or refused as corrupt_index. Never another answer. The seed is printed;
 * LHS_DAMAGE_CASES asks for more cases.
 */
const openEmbedder = tinyModels().open;
const FIXTURE = fileURLToPath(new URL('../../fixtures/tables/own_codecs/', import.meta.url));
const SEED = Number(process.env.LHS_SEED ?? 20261121);
const CASES = Number(process.env.LHS_DAMAGE_CASES ?? byEffort(80, 600, 20_000));
const home = mkdtempSync(join(tmpdir(), 'lhs-damage-'));
const folder = join(home, 'data');
/** Both tables; put aside while files are damaged, so that no search asks how far it is behind. */
const tables = join(home, 'tables');
const older = join(home, 'older');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** By index: what is asked. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  codecs: [
    'title:title',
    'title:"title 7"',
    'title:12 title:13 service:search',
    'service:(billing OR büro) AND id:[5 TO 2200]',
    'service:/b.*/',
    '-service:billing AND title:1*',
    'at:[2025-01-02 TO *]',
  ],
  t: [
    'title:again',
    'title:"title 1001"',
    'title:(billing OR büro) AND id:[5 TO 3020]',
    'service:/s.*/',
  ],
};
const SORTS: Readonly<Record<string, readonly { field: string; desc?: boolean }[]>> = {
  codecs: [{ field: 'service' }, { field: 'at', desc: true }, { field: '_key' }],
  t: [{ field: 'service' }, { field: 'id', desc: true }],
};

/** Half of the documents, by how near they are: all vectors are compared. */
async function nearest(backend: Awaited<ReturnType<typeof openEngine>>) {
  const request = { index: 't', query_text: 'billing title 7', k: 1500, limit: 1500 };
  return lasting(await backend.semantic(request));
}

/** A response without its time and without the look at the table, which runs in the background. */
function lasting(response: SearchResponse) {
  const { took_ms, lag_snapshots, lag_checked_ms, ...rest } = response;
  return rest;
}

/** Every answer of an index as one text, without what changes from one call to the next. */
async function answers(index = 'codecs', data = folder): Promise<string> {
  const backend = await openEngine(data, { create: true, threads: 0, openEmbedder });
  try {
    const parts: unknown[] = [];
    for (const query of QUERIES[index]) {
      const request = { index, query, limit: 50, highlight: {} };
      parts.push(lasting(await backend.search(request)));
    }
    const request = { index, sort: SORTS[index], limit: 3000 };
    parts.push(lasting(await backend.search(request)));
    if (index === 't') parts.push(await nearest(backend));
    for await (const document of backend.exportDocuments({ index })) parts.push(document);
    return JSON.stringify(parts);
  } finally {
    await backend.close();
  }
}

/** A new file in the place of the old one: readers of the old one keep what they have mapped. */
function replace(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

const PAGE = 512;

/** A damage: half of them a single bit, a tenth cut short. */
function damaged(bytes: Buffer, random: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const kind = random(10);
  const page = (): Buffer => {
    const at = random(Math.ceil(copy.length / PAGE)) * PAGE;
    return copy.subarray(at, at + PAGE);
  };
  if (kind === 0) return copy.subarray(0, random(copy.length));
  if (kind === 1) copy.fill(random(256), random(copy.length));
  else if (kind === 2) page().fill(0);
  else if (kind === 3) {
    const [a, b] = [page(), page()];
    const size = Math.min(a.length, b.length);
    const kept = Buffer.from(a.subarray(0, size));
    b.copy(a, 0, 0, size);
    kept.copy(b, 0, 0, size);
  } else copy[random(copy.length)] ^= 1 << random(8);
  return copy;
}

/** Files of the indexes; the cache of vectors has tests of its own: no search reads it. */
const filesIn = (data: string): string[] =>
  (readdirSync(data, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((path) => path.startsWith('indexes') && !/lock|verified|embeddings/i.test(path))
    .map((path) => join(data, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0)
    .sort();

/** Whether a file belongs to the live generation of its index. */
const isLive = (path: string): boolean => {
  const generation = dirname(path);
  const current = readFileSync(join(dirname(generation), 'CURRENT'), 'utf8');
  return current.includes(basename(generation));
};

const intact: Record<string, string> = {};
/** By folder of an index: its name. */
const indexOf = new Map<string, string>();
const nameOf = (file: string): string => indexOf.get(relative(folder, file).split('/')[1]) ?? '';

beforeAll(async () => {
  const source = { path: join(tables, 'codecs') };
  cpSync(FIXTURE, source.path, { recursive: true });
  const table = await openTable(source);
  await table.close();
  const backend = await openEngine(folder, { create: true, threads: 0, openEmbedder });
  const { definition } = await backend.initDefinition({ source, name: 'codecs' });
  await backend.createIndex({ definition, base_dir: '/' });
  const [oldest] = table.snapshots;
  await backend.reindex({ index: 'codecs', as_of: String(oldest.id) });
  await backend.sync({ index: 'codecs' });
  indexOf.set(readdirSync(join(folder, 'indexes'))[0], 'codecs');
  const small = await makeSmallTable(join(tables, 'lake'));
  await backend.createIndex({ definition: small.definition, base_dir: '/' });
  await backend.reindex({ index: 't', as_of: small.snapshots[0].id });
  // Few steps: deletes, moved rows and several segments stay, nothing is merged yet.
  await backend.sync({ index: 't', until: small.snapshots[3].id });
  cpSync(folder, older, { recursive: true });
  await backend.sync({ index: 't', until: small.snapshots[4].id });
  await backend.close();
  const uuid = readdirSync(join(folder, 'indexes')).find((name) => !indexOf.has(name)) ?? '';
  indexOf.set(uuid, 't');
  const live = openSnapshot(openLocalDirectory(join(folder, 'indexes', uuid, 'gen-000001')));
  expect(live.segments.length).toBeGreaterThan(1);
  expect(live.deletedDocs).toBeGreaterThan(0);
  live.release();
  renameSync(tables, `${tables}.aside`);
  for (const name of ['codecs', 't']) intact[name] = await answers(name);
}, 600_000);

/** What becomes of the answers when a file holds these bytes: a code, or `as before`. */
async function outcomeOf(file: string, bytes: Uint8Array, what: string): Promise<string> {
  const whole = readFileSync(file);
  replace(file, bytes);
  try {
    const text = await answers(nameOf(file));
    return text === intact[nameOf(file)] ? 'as before' : `ANOTHER ANSWER after ${what}`;
  } catch (error) {
    if (error instanceof LhsError) return error.code;
    throw new Error(what, { cause: error });
  } finally {
    replace(file, whole);
  }
}

describe('damaged index files', () => {
  it(`are named or change no response, in ${CASES} cases`, async () => {
    const files = filesIn(folder);
    expect(files.length).toBeGreaterThan(25);
    const random = seededBelow(SEED);
    const outcomes = new Map<string, number>();
    let slowest = 0;
    for (let i = 0; i < CASES; i++) {
      const file = files[i % files.length];
      const whole = readFileSync(file);
      let bytes = damaged(whole, random);
      while (bytes.equals(whole)) bytes = damaged(whole, random);
      const begun = performance.now();
      const outcome = await outcomeOf(file, bytes, `${file} (case ${i})`);
      slowest = Math.max(slowest, performance.now() - begun);
      if (outcome !== 'as before' && outcome !== 'corrupt_index') console.log(i, file, outcome);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const seen = JSON.stringify([...outcomes]);
    console.log(`damage: seed ${SEED}, ${files.length} files, ${seen}, slowest ${slowest | 0} ms`);
    expect([...outcomes.keys()].filter((o) => !/^(as before|corrupt_index)$/.test(o))).toEqual([]);
    expect(outcomes.get('corrupt_index')).toBeGreaterThan(CASES / 2);
    for (const name of ['codecs', 't']) expect(await answers(name)).toBe(intact[name]);
  }, 3_600_000);

  it('are named if they hold the content of another or an older file', async () => {
    const past = filesIn(older).map((file) => ({ file, bytes: readFileSync(file) }));
    for (const file of filesIn(folder)) {
      if (/CURRENT|commit$/.test(file)) continue;
      const bytes = readFileSync(file);
      const kind = (path: string) => basename(path).replaceAll(/\d+/g, '');
      const others = past.filter(
        (old) => kind(old.file) === kind(file) && !old.bytes.equals(bytes),
      );
      for (const old of others.slice(0, 3)) {
        const what = `${file} as ${old.file}`;
        expect(await outcomeOf(file, old.bytes, what), what).toBe('corrupt_index');
      }
    }
  });

  it('are named if an older commit file is present, or give the whole older commit', async () => {
    const before = await answers('t', older);
    const stale = join(home, 'stale');
    cpSync(folder, stale, { recursive: true });
    const [file] = filesIn(folder).filter((path) => nameOf(path) === 't' && /commit$/.test(path));
    cpSync(join(older, relative(folder, file)), join(stale, relative(folder, file)));
    const found = await answers('t', stale).catch((error: LhsError) => error.code);
    expect(['corrupt_index', before]).toContain(found);
  });

  /** SQLite has no checksums; the definition in it has one of ours. */
  it('include the registry, which is reported', async () => {
    const random = seededBelow(SEED + 2);
    const file = join(folder, 'registry.db');
    const whole = readFileSync(file);
    const outcomes = new Map<string, number>();
    for (let i = 0; i < byEffort(25, 150, 2000); i++) {
      const bytes = Buffer.from(whole);
      bytes[random(bytes.length)] ^= 1 << random(8);
      replace(file, bytes);
      const outcome = await answers('t').then(
        (text) => (text === intact.t ? 'as before' : 'another answer'),
        (error: unknown) => (error as LhsError).code,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    replace(file, whole);
    console.log(`registry.db: ${JSON.stringify([...outcomes])}`);
    expect(await answers('t')).toBe(intact.t);
    expect([...outcomes.keys()].filter((o) => o === undefined || o === 'another answer')).toEqual(
      [],
    );
  });

  it('are found by the full check if the file stamp did not change', async () => {
    const random = seededBelow(SEED + 1);
    const files = filesIn(folder).filter((path) => !/CURRENT$/.test(path));
    for (const path of new Set(files.map(dirname))) openSnapshot(stampedDirectory(path)).release();
    let unseen = 0;
    for (let i = 0; i < byEffort(50, 300, 2000); i++) {
      const file = files[i % files.length];
      const whole = readFileSync(file);
      const bytes = Buffer.from(whole);
      bytes[random(bytes.length)] ^= 1 << random(8);
      replace(file, bytes);
      let problems: readonly string[];
      try {
        const snapshot = openSnapshot(stampedDirectory(dirname(file)));
        unseen++;
        problems = checkIndex(snapshot);
        snapshot.release();
      } catch (error) {
        problems = [(error as LhsError).message];
      }
      replace(file, whole);
      expect(problems, `${file}, case ${i}`).not.toEqual([]);
    }
    expect(unseen).toBeGreaterThan(byEffort(25, 100));
    console.log(`beneath the stamp: ${unseen} flips let the index open; the check found all`);
  });

  /** A folder whose files were all found whole a moment ago, as far as their stamps tell. */
  function stampedDirectory(path: string): ReturnType<typeof openLocalDirectory> {
    const directory = openLocalDirectory(path);
    directory.stamp = (name) => `unchanged:${path}/${name}`;
    return directory;
  }

  it('are listed as damaged and built again', async () => {
    renameSync(`${tables}.aside`, tables);
    for (const name of ['CURRENT', 'commit', '.keys']) {
      const own = filesIn(folder).filter((path) => nameOf(path) === 'codecs');
      writeFileSync(own.find((path) => path.endsWith(name)) ?? '', 'gen-000077');
      const backend = await openEngine(folder, { create: true, threads: 0, openEmbedder });
      await expect(backend.search({ index: 'codecs' })).rejects.toMatchObject({
        code: 'corrupt_index',
      });
      expect((await backend.listIndexes()).map((i) => [i.name, i.error])).toEqual([
        ['codecs', expect.stringMatching(/CURRENT|commit|keys/)],
        ['t', undefined],
      ]);
      const built = await backend.reindex({ index: 'codecs' });
      await backend.close();
      expect(built.doc_count).toBeGreaterThan(2000);
    }
  });

  it('are named if they are missing', async () => {
    const files = filesIn(folder).filter((path) => /s\d+\.\w+/.test(path) && isLive(path));
    for (const file of files) {
      const whole = readFileSync(file);
      rmSync(file);
      const error = await answers(nameOf(file)).catch((e: unknown) => e as LhsError);
      expect(error).toMatchObject({ code: 'corrupt_index' });
      expect((error as LhsError).message).toContain(file.split('/').at(-1));
      writeFileSync(file, whole);
    }
  });
});
