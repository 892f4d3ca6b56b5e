// @module-tag campaign
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openObjectStore } from '@lakehouse-search/lake/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { S3Server } from '../../../lake/test/s3-server.ts';
import { decodeManifest } from '../../src/home/manifest.ts';
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

/** Throws unless every manifest of a place has all of its chunks. Returns their number. */
async function wholeBackups(target: string): Promise<number> {
  const store = await openObjectStore(target);
  const sizes = new Map<string, number>();
  for await (const { key, size } of store.list('chunks/')) sizes.set(key.slice(10), size);
  let manifests = 0;
  for await (const { key } of store.list('backups/')) {
    const got = await store.get(key);
    if (typeof got === 'string') throw new Error(`${key} is ${got}`);
    manifests++;
    for (const { chunks } of decodeManifest(got.bytes, key).value.files) {
      for (const { sha256, length } of chunks) expect(sizes.get(sha256)).toBe(length);
    }
  }
  return manifests;
}

/** Bodies of chunks that a server accepted below a place, each as often as it was sent. */
const sentChunks = (target: string): readonly string[] =>
  server.seen
    .filter(
      ({ method, key }) => method === 'PUT' && `s3://vault/${key}`.startsWith(`${target}/chunks/`),
    )
    .map(({ key }) => key);

describe('a backup that is interrupted', () => {
  it(`at ${CUTS} moments shows nothing, and the next one copies the rest`, async () => {
    const { backend } = lake;
    const requests = await requestsOfBackup();
    for (let n = 0; n < CUTS; n++) {
      const target = place(n);
      const most = Math.floor((n * requests) / CUTS);
      let answered = 0;
      let accepted = 0;
      server.seen.length = 0;
      server.fault = (seen) => {
        if (++answered > most) return { kind: 'status', status: 403, code: 'AccessDenied' };
        if (seen.method === 'PUT' && seen.key.includes('/chunks/')) accepted++;
        return null;
      };
      const cut = await backend.backup({ index: 't', target }).catch((error: Error) => error);
      server.fault = () => null;
      // the last request releases the lease: the manifest is there by then
      const made = most > requests - 2 ? 1 : 0;
      expect(await wholeBackups(target), `after ${most} of ${requests} requests`).toBe(made);
      if (made === 0) expect(cut).toMatchObject({ code: 'permission_denied' });
      const stored = new Set(sentChunks(target).slice(0, accepted));
      server.seen.length = 0;
      const resumed = await backend.backup({ index: 't', target });
      expect(sentChunks(target).filter((key) => stored.has(key))).toEqual([]);
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
      // the lease of the dead process does not hold up a prune on this machine
      const pruned = await backend.pruneBackups({ target, keep: 1 });
      expect(pruned).toMatchObject({ deferred: false, backups_kept: 1 });
    }
  });

  it('by its signal keeps what it copied, and frees the index', async () => {
    const { backend, target } = lake;
    const stop = new AbortController();
    let steps = 0;
    const progress = () => {
      if (++steps === 8) stop.abort();
    };
    const call = { signal: stop.signal, progress };
    const request = { index: 't', target };
    await expect(backend.backup(request, call)).rejects.toMatchObject({ code: 'interrupted' });
    expect(await wholeBackups(target)).toBe(0);
    const { bytes, bytes_copied } = await backend.backup(request);
    expect(bytes_copied).toBeLessThan(bytes);
    expect(bytes_copied).toBeGreaterThan(0);
    expect(leftOf(join(lake.folder, 'data'))).toEqual([]);
    expect(readdirSync(join(target, 'leases'))).toEqual([]);
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
