// @module-tag campaign
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { S3Server } from '../../../lake/test/s3-server.ts';
import { openContents } from '../../src/home/backup-contents.ts';
import { listBackups, readBackup } from '../../src/home/backups.ts';
import { openRepository } from '../../src/home/repository.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

/** Moments at which the connection is cut for good, and at which a process is killed. */
const CUTS = Number(process.env.LHS_CUTS ?? byEffort(6, 50));
const KILLS = Number(process.env.LHS_KILLS ?? byEffort(3, 6));
const CHILD = fileURLToPath(new URL('./backup-child.ts', import.meta.url));

let lake: BackupLake;
let server: S3Server;
beforeEach(async () => {
  lake = await openBackupLake();
  server = await S3Server.start('vault');
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await lake.close();
});

const place = (n: number) => `s3://vault/at-${n}`;

/** Requests of a whole backup to an empty place. */
async function requestsOfBackup(): Promise<number> {
  server.seen.length = 0;
  await lake.backend.backup({ index: 't', target: place(-1) });
  return server.seen.length;
}

/** Throws unless every backup of a place has all of its files. Returns their number. */
async function wholeBackups(target: string): Promise<number> {
  const home = await openRepository(target, false);
  if (home === null) return 0;
  let whole = 0;
  for (const name of await listBackups(home)) {
    const backup = await readBackup(home, name);
    if (backup === null) continue;
    const contents = await openContents(home, backup);
    for (const path of contents.lengths.keys()) await Array.fromAsync(contents.read(path));
    whole++;
  }
  return whole;
}

/** Keys and sizes of bundles that a server accepted below a place, each as often as it was sent. */
const sentBundles = (target: string): readonly string[] =>
  server.seen
    .filter(({ method, key }) => method === 'PUT' && `s3://vault/${key}`.startsWith(target))
    .filter(({ key }) => key.includes('/data/'))
    .map(({ key }) => key);

/** The number of bundles of a place. */
const bundlesIn = (target: string): number =>
  [...server.buckets.get('vault')!.keys()].filter(
    (key) => `s3://vault/${key}`.startsWith(`${target}/`) && key.includes('/data/'),
  ).length;

describe('a backup that is interrupted', () => {
  it(`at ${CUTS} moments shows nothing, and the next one copies the rest`, async () => {
    const { backend } = lake;
    const requests = await requestsOfBackup();
    const bundles = bundlesIn(place(-1));
    expect(bundles).toBeGreaterThan(3);
    for (let n = 0; n < CUTS; n++) {
      const target = place(n);
      const most = Math.floor((n * requests) / CUTS);
      let answered = 0;
      server.seen.length = 0;
      server.fault = () =>
        ++answered > most ? { kind: 'status', status: 403, code: 'AccessDenied' } : null;
      const cut = await backend.backup({ index: 't', target }).catch((error: Error) => error);
      server.fault = () => null;
      // the last request but one writes the commit, the last looks for the mark of the place
      const made = most > requests - 2 ? 1 : 0;
      expect(await wholeBackups(target), `after ${most} of ${requests} requests`).toBe(made);
      expect(cut).toMatchObject({ code: 'permission_denied' });
      const stored = bundlesIn(target);
      server.seen.length = 0;
      const resumed = await backend.backup({ index: 't', target });
      expect(stored + sentBundles(target).length).toBe(bundles);
      expect(await wholeBackups(target)).toBe(made + 1);
      if (n % 10 === 0) await expectRestores(target, resumed.num_docs);
    }
  });

  it(`by ${KILLS} kills of its process leaves a place that the next one completes`, async () => {
    const { backend } = lake;
    const requests = await requestsOfBackup();
    for (let n = 0; n < KILLS; n++) {
      const target = place(1000 + n);
      const most = 1 + Math.floor((n * requests) / KILLS);
      const args = [CHILD, join(lake.folder, 'data'), target];
      const child = spawn(process.execPath, args, { env: process.env, stdio: 'inherit' });
      let answered = 0;
      server.fault = () => {
        if (++answered > most) child.kill('SIGKILL');
        return null;
      };
      await new Promise((resolve) => child.once('exit', resolve));
      server.fault = () => null;
      expect(child.signalCode).toBe('SIGKILL');
      const made = await wholeBackups(target);
      expect(made).toBeLessThanOrEqual(1);
      const { num_docs } = await backend.backup({ index: 't', target });
      expect(await wholeBackups(target)).toBe(made + 1);
      await expectRestores(target, num_docs);
      const pruned = await backend.pruneBackups({ target, keep: 1 });
      expect(pruned).toMatchObject({ deferred: false, backups_kept: 1 });
    }
  });

  it('by its signal keeps what it copied, and frees the index', async () => {
    const { backend, target } = lake;
    const stop = new AbortController();
    let steps = 0;
    const progress = () => {
      if (++steps === 30) stop.abort();
    };
    const call = { signal: stop.signal, progress };
    const request = { index: 't', target };
    await expect(backend.backup(request, call)).rejects.toMatchObject({ code: 'interrupted' });
    expect(await wholeBackups(target)).toBe(0);
    const { bytes, bytes_copied } = await backend.backup(request);
    expect(bytes_copied).toBeLessThan(bytes);
    expect(bytes_copied).toBeGreaterThan(0);
    expect(leftOf(join(lake.folder, 'data'))).toEqual([]);
  });
});

/** Pins and drafts in a data folder. */
const leftOf = (folder: string): readonly string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    /pin\.|\.tmp|restoring|writer\.lock/.test(name),
  );

async function expectRestores(target: string, rows: number): Promise<void> {
  const { backend } = lake;
  const { num_docs } = await backend.restore({ target, as: 'again', aliases: 'none' });
  expect(num_docs).toBe(rows);
  const { total } = await backend.search({ index: 'again', query: 'disk' });
  expect(total).toBe(rows);
  await backend.dropIndex({ index: 'again' });
}
