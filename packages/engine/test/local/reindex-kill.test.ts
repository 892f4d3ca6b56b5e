// @module-tag campaign
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { vectorsByKey } from '../../../../test/support/expect-vectors.ts';
import { hasShared, tablePath, truthOf } from '../../../../test/support/shared-tables.ts';
import { fixVectors } from '../../src/base/fixed-vector.ts';
import { openEmbedder } from '../../src/embed/open-embedder.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

/**
 * Moments are spread evenly over the time of one reindex. `LHS_KILLS=50 npx vitest run --project
 * whole packages/engine/test/local/reindex-kill` kills more often.
 */
const KILLS = Number(process.env.LHS_KILLS ?? byEffort(3, 5, 10));
const CHILD = fileURLToPath(new URL('./reindex-child.ts', import.meta.url));
const TABLE = 'journal_dv_12k';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-kill-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function startReindex(): ChildProcess {
  return spawn(process.execPath, [CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
}

const said = (child: ChildProcess, word: string) =>
  new Promise<void>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes;
      if (text.includes(word)) resolve();
    });
    child.once('exit', (code) =>
      text.includes(word) ? resolve() : reject(new Error(`exit ${code}`)),
    );
  });
const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });

/** Names of all files of the one index, generation by generation. */
function filesOfIndex() {
  const [uuid] = readdirSync(join(dataDir, 'indexes'));
  const folder = join(dataDir, 'indexes', uuid);
  const current = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
  return {
    live: join(folder, current),
    top: readdirSync(folder).sort(),
    generation: Number(current.slice(4)),
    files: readdirSync(join(folder, current)).sort(),
  };
}

/** One document in so many. */
const VECTORS_LOOKED_AT = 40;

/** The vectors are what the model makes of the subjects, rounded as an index does. */
async function expectMeaning(live: string, subjects: ReadonlyMap<string, string>): Promise<void> {
  const texts = [...subjects.values()].map((text) => Buffer.from(text));
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  const model = await openEmbedder('default');
  const vectors = await model.embed({ offsets, bytes: Buffer.concat(texts) });
  await model.close();
  const { scales, codes } = fixVectors(vectors, 384);
  const snapshot = openSnapshot(openLocalDirectory(live));
  const held = vectorsByKey(snapshot, 'meaning');
  snapshot.release();
  [...subjects.keys()].forEach((key, i) => {
    const own = codes.subarray(i * 384, (i + 1) * 384);
    const wanted = scales[i] === 0 ? null : [...own].map((code) => Math.fround(scales[i] * code));
    expect(held.get(key), key).toEqual(wanted);
  });
}

async function check(rows: number): Promise<number> {
  const backend = await openEngine(dataDir, { create: true, threads: 0 });
  try {
    const described = await backend.describeIndex({});
    const found = await backend.search({ query: 'words:[0 TO *]', limit: 1 });
    const keys = new Set<string>();
    const subjects = new Map<string, string>();
    for await (const { coordinates, fields } of backend.exportDocuments({})) {
      const [{ value: key }] = coordinates.identifier;
      keys.add(key);
      if (keys.size % VECTORS_LOOKED_AT === 0) subjects.set(key, String(fields.subject ?? ''));
    }
    expect(described.num_docs).toBe(rows);
    expect(keys.size).toBe(rows);
    expect(found.total).toBeGreaterThan(rows / 2);
    const { live, top, generation, files } = filesOfIndex();
    await expectMeaning(live, subjects);
    expect(generation).toBe(described.index_generation);
    // a build that was complete but not live yet can be resumed
    const [newest] = await backend.listJobs();
    const left = newest.resumable === true ? newest.shards.map((shard) => shard.generation) : [];
    const folders = [generation, ...left].map((each) => `gen-${String(each).padStart(6, '0')}`);
    expect(top).toEqual(['CURRENT', 'embeddings', ...folders]);
    expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    return generation;
  } finally {
    await backend.close();
  }
}

describe.skipIf(!hasShared)('reindex killed at any moment', () => {
  it(`${KILLS} times: the former generation answers, nothing is left behind`, async () => {
    const truth = truthOf(TABLE);
    const rows = truth.snapshots.find(
      (s) => s.snapshot_id === truth.current_snapshot_id,
    )!.row_count;
    const backend = await openEngine(dataDir, { create: true, threads: 0 });
    await backend.createIndex({
      definition: `version: 1
index: t
keep_previous: 0
source: { path: ${JSON.stringify(tablePath(TABLE))} }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: committed_at, type: DATE }
  - { name: words, type: LONG, cached: true }
  - { name: meaning, type: VECTOR, source: subject }
`,
    });
    await backend.reindex({});
    await backend.close();
    const whole = await timeOfReindex();
    let generation = await check(rows);
    let killed = 0;
    for (let i = 0; i < KILLS; i++) {
      const child = startReindex();
      await said(child, 'begin');
      const gone = ended(child);
      const timer = setTimeout(() => child.kill('SIGKILL'), (whole * 1.1 * (i + 0.5)) / KILLS);
      await gone;
      clearTimeout(timer);
      const now = await check(rows);
      // the number of a killed build is not used again
      expect(now).toBeGreaterThanOrEqual(generation);
      if (now === generation) killed++;
      generation = now;
    }
    console.log(`${killed} of ${KILLS} kills came before the new generation was live`);
    expect(generation).toBeGreaterThan(0);
  });
});

/** Milliseconds from `begin` to `end` of a reindex that nobody kills. */
async function timeOfReindex(): Promise<number> {
  const child = startReindex();
  await said(child, 'begin');
  const begun = performance.now();
  await said(child, 'end');
  const took = performance.now() - begun;
  if (child.exitCode === null) await ended(child);
  return took;
}
