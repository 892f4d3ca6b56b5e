import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLocal } from '@lakehouse-search/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasShared, tablePath, truthOf } from './truth.ts';

/**
 * Moments are spread evenly over the time of one reindex. `LHS_KILLS=50 npx vitest run --project
 * whole packages/engine/test/reindex-kill` kills more often.
 */
const KILLS = Number(process.env.LHS_KILLS ?? 10);
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
function filesOfIndex(): { top: string[]; generation: number; files: string[] } {
  const [uuid] = readdirSync(join(dataDir, 'indexes'));
  const folder = join(dataDir, 'indexes', uuid);
  const current = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
  return {
    top: readdirSync(folder).sort(),
    generation: Number(current.slice(4)),
    files: readdirSync(join(folder, current)).sort(),
  };
}

async function check(rows: number): Promise<number> {
  const backend = await openLocal(dataDir);
  try {
    const described = await backend.describeIndex({});
    const found = await backend.search({ query: 'words:[0 TO *]', limit: 1 });
    const keys = new Set<string>();
    for await (const document of backend.exportDocuments({})) {
      keys.add(document.coordinates.identifier[0].value);
    }
    expect(described.num_docs).toBe(rows);
    expect(keys.size).toBe(rows);
    expect(found.total).toBeGreaterThan(rows / 2);
    const { top, generation, files } = filesOfIndex();
    expect(generation).toBe(described.index_generation);
    expect(top).toEqual(['CURRENT', `gen-${String(generation).padStart(6, '0')}`]);
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
    const backend = await openLocal(dataDir);
    await backend.createIndex({
      definition: `version: 1
index: t
source: { path: ${JSON.stringify(tablePath(TABLE))} }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: committed_at, type: DATE }
  - { name: words, type: LONG, cached: true }
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
      expect(now - generation).toBeLessThanOrEqual(1);
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
