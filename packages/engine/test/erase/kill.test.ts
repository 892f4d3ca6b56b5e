// @module-tag campaign
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { type EraseLake, KEY, openEraseLake } from './erase-lake.ts';

const POINTS = Number(process.env.LHS_KILLS ?? byEffort(2, 6, 10));
const script = fileURLToPath(new URL('./kill-child.ts', import.meta.url));

/** A lake with remains in many places. */
let lake: EraseLake;
beforeAll(async () => {
  lake = await openEraseLake();
  const request = { index: 't', query: 'person:"quilbert-4711"' };
  await lake.backend.createSavedQuery({ name: 'mine', request });
  const line = JSON.stringify({ index: 't', query: 'quilbert-4711' });
  appendFileSync(join(lake.dataDir, 'tui-history.ndjson'), `${line}\n`);
  await lake.backend.backup({ index: 't', target: lake.backups });
  await lake.backend.openPit({ index: 't', keep_alive: '1h' });
  await lake.deleteAndSync();
});
afterAll(async () => {
  lake.registry.close();
  await lake.close();
});

/** Runs an erasure over copies of the folders; the number of operations, null if it was killed. */
async function run(at: number | null, then: (dataDir: string, backups: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-erase-kill-'));
  const [dataDir, backups] = [join(folder, 'data'), join(folder, 'backups')];
  try {
    cpSync(lake.dataDir, dataDir, { recursive: true, preserveTimestamps: true });
    cpSync(lake.backups, backups, { recursive: true });
    const args = [script, dataDir, backups, ...(at === null ? [] : [String(at)])];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (child.signal !== 'SIGKILL') expect(child.stderr, child.stderr).not.toContain('Error');
    await then(dataDir, backups);
    return child.signal === 'SIGKILL' ? null : Number(child.stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The index is sound, and the next run leaves nothing. */
async function expectResumable(dataDir: string, target: string): Promise<void> {
  const backend = await openEngine(dataDir, {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
  });
  try {
    expect((await backend.verify({ index: 't', deep: true })).equal).toBe(true);
    const request = { index: 't', keys: [KEY], backups: [target] };
    const more = { close_pits: true, replace_backups: true };
    const { report } = await backend.runErasure({ ...request, ...more });
    expect(report.remains).toEqual([]);
    expect(report.clean).toBe(true);
    expect((await backend.checkErasure(request)).clean).toBe(true);
    const left = await backend.listBackups({ target });
    expect(left.length).toBeGreaterThan(0);
    for (const { num_docs } of left) expect(num_docs).toBe(30);
    const restored = await backend.restore({ target, as: 'again', aliases: 'none' });
    expect(restored.num_docs).toBe(30);
  } finally {
    await backend.close();
  }
}

describe('an erasure that is killed', () => {
  it('leaves a sound index and a backup, and the next run finishes it', async () => {
    const operations = (await run(null, expectResumable)) ?? 0;
    expect(operations).toBeGreaterThan(30);
    for (let point = 0; point < POINTS; point++) {
      const at = Math.floor((point * operations) / POINTS);
      const lived = await run(at, expectResumable);
      expect(lived, `operation ${at} of ${operations}`).toBeNull();
    }
  });
});
