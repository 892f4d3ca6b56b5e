import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openObjectStore } from '@lakehouse-search/lake/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import { Lease } from '../../src/home/lease.ts';
import { decodeManifest } from '../../src/home/manifest.ts';
import { openRepository } from '../../src/home/repository.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

/** Steps of a backup at which another process prunes, at most. */
const STEPS = Number(process.env.LHS_STEPS ?? 5);

let lake: BackupLake;
beforeEach(async () => {
  lake = await openBackupLake();
});
afterEach(() => lake.close());

/** Changes the table, syncs and backs up. */
async function backUpChange(n: number): Promise<string> {
  const { backend, target } = lake;
  await lake.change(n);
  await backend.sync({ index: 't' });
  return (await backend.backup({ index: 't', target })).backup;
}

/** The chunks of a place, and those that its manifests name. */
async function chunks() {
  const store = await openObjectStore(lake.target);
  const there = await Array.fromAsync(store.list('chunks/'), ({ key }) => key.slice(10));
  const named = new Set<string>();
  for await (const { key } of store.list('backups/')) {
    const got = await store.get(key);
    if (typeof got === 'string') throw new Error(key);
    for (const file of decodeManifest(got.bytes, key).value.files) {
      for (const { sha256 } of file.chunks) named.add(sha256);
    }
  }
  return { there, named: [...named].sort() };
}

describe('a prune', () => {
  it('keeps the newest backups and exactly the files that they name', async () => {
    const { backend, target } = lake;
    const made: string[] = [];
    for (let n = 1; n <= 4; n++) made.push(await backUpChange(n));
    const before = await chunks();
    const pruned = await backend.pruneBackups({ target, keep: 2 });
    expect(pruned).toMatchObject({ backups_kept: 2, deferred: false });
    expect([...pruned.backups_removed].sort()).toEqual(made.slice(0, 2));
    const after = await chunks();
    expect(after.there.sort()).toEqual(after.named);
    expect(before.there.length - after.there.length).toBe(pruned.files_removed);
    expect(pruned.files_removed).toBeGreaterThan(0);
    for (const backup of made.slice(2)) {
      await backend.restore({ target, backup, as: 'again', aliases: 'none' });
      await backend.dropIndex({ index: 'again' });
    }
    await expect(backend.restore({ target, backup: made[0], as: 'again' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('counts each index for itself', async () => {
    const { backend, target } = lake;
    await backUpChange(1);
    await backUpChange(2);
    await backend.restore({ target, as: 'second', aliases: 'none' });
    for (let n = 0; n < 3; n++) await backend.backup({ index: 'second', target });
    const one = await backend.pruneBackups({ target, index: 'second', keep: 1 });
    expect(one.backups_removed).toHaveLength(2);
    const all = await backend.pruneBackups({ target, keep: 1 });
    expect([all.backups_removed.length, all.backups_kept]).toEqual([1, 2]);
    const left = await backend.listBackups({ target });
    expect(left.map(({ index }) => index).sort()).toEqual(['second', 't']);
  });

  it('at every step of a running backup leaves it whole', async () => {
    const { backend, target } = lake;
    // files of former backups that the next ones use again
    await backUpChange(1);
    const steps = await stepsOfBackup();
    for (let step = 1; step <= steps; step++) {
      await lake.change(step + 1);
      await backend.sync({ index: 't' });
      let seen = 0;
      let pruning: Promise<unknown> = Promise.resolve();
      const progress = () => {
        if (++seen === step) pruning = backend.pruneBackups({ target, keep: 1 });
      };
      const { backup } = await backend.backup({ index: 't', target, verify: true }, { progress });
      await pruning;
      const restored = await backend.restore({ target, backup, as: 'again', aliases: 'none' });
      expect(restored.num_docs).toBeGreaterThan(300);
      await backend.dropIndex({ index: 'again' });
      const { there, named } = await chunks();
      expect(named.filter((sha256) => !there.includes(sha256))).toEqual([]);
    }
  });

  it('keeps unused files while a backup of another machine runs, and says so', async () => {
    const { backend, target } = lake;
    await backUpChange(1);
    await backUpChange(2);
    const lease = {
      pid: 1,
      host: 'elsewhere',
      boot_id: '',
      started: '',
      expires_ms: Date.now() + 1000_000,
    };
    const path = join(target, 'leases', 'backup-elsewhere.json');
    writeFileSync(path, JSON.stringify(lease));
    const deferred = await backend.pruneBackups({ target, keep: 1 });
    expect(deferred).toMatchObject({ files_removed: 0, deferred: true });
    expect(deferred.backups_removed).toHaveLength(1);
    writeFileSync(path, JSON.stringify({ ...lease, expires_ms: Date.now() - 1 }));
    const done = await backend.pruneBackups({ target, keep: 1 });
    expect(done).toMatchObject({ backups_removed: [], deferred: false });
    expect(done.files_removed).toBeGreaterThan(0);
    const { there, named } = await chunks();
    expect(there.sort()).toEqual(named);
  });
});

async function stepsOfBackup(): Promise<number> {
  let steps = 0;
  const { backend, target } = lake;
  await backend.backup({ index: 't', target, verify: true }, { progress: () => void steps++ });
  return Math.min(steps, STEPS);
}

describe('a backup whose lease was deleted', () => {
  it('is not shown: a prune may have deleted its files', async () => {
    const { backend, target } = lake;
    const leases = join(target, 'leases');
    let cleared = false;
    const progress = ({ phase }: { readonly phase: string }) => {
      if (phase !== 'checking' || cleared) return;
      cleared = true;
      for (const name of readdirSync(leases)) rmSync(join(leases, name));
    };
    const failed = backend.backup({ index: 't', target, verify: true }, { progress });
    await expect(failed).rejects.toMatchObject({ code: 'index_busy' });
    expect(await backend.listBackups({ target })).toEqual([]);
    expect(await backend.backup({ index: 't', target })).toMatchObject({ bytes_copied: 0 });
  });
});

describe('a backup that begins during a prune', () => {
  it('waits for it', async () => {
    const { backend, target } = lake;
    await backend.backup({ index: 't', target });
    const repository = (await openRepository(target, false))!;
    const prune = new Lease(repository, 'prune', SYSTEM_CLOCK);
    await prune.renew();
    const seen: string[] = [];
    const progress = () => void seen.push('copying');
    const backup = backend.backup({ index: 't', target }, { progress });
    await expect.poll(async () => (await leases()).length).toBe(2);
    seen.push('pruned');
    await prune.release();
    await backup;
    expect(seen[0]).toBe('pruned');
    expect(await leases()).toEqual([]);
  });
});

async function leases(): Promise<readonly string[]> {
  const store = await openObjectStore(lake.target);
  return Array.fromAsync(store.list('leases/'), ({ key }) => key);
}
