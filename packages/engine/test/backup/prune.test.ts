import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import { listBackups, readBackup } from '../../src/home/backups.ts';
import { bundleKey } from '../../src/home/chain.ts';
import { pruneRepository, unneededObjects } from '../../src/home/prune.ts';
import { openRepository } from '../../src/home/repository.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

/** Steps of a backup at which another process prunes, at most. */
const STEPS = Number(process.env.LHS_STEPS ?? 5);

const FORMER = fileURLToPath(new URL('../../../../fixtures/backups-v1', import.meta.url));

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

/** The bundles of a place, and those that backups need. */
async function bundles() {
  const home = (await openRepository(lake.target, false))!;
  const all = await Array.fromAsync(home.store.list('families/'), ({ key }) => key);
  const named = new Set<string>();
  for (const name of await listBackups(home)) {
    const contents = (await readBackup(home, name))?.contents;
    if (contents?.kind !== 'commit') throw new Error(name.key);
    const { uuid, bundles: needed } = contents.commit;
    for (const bundle of needed) named.add(bundleKey(uuid, bundle));
  }
  return { there: all.filter((key) => key.includes('/data/')), named: [...named].sort() };
}

describe('a prune', () => {
  it('keeps the newest backups and exactly the files that they name', async () => {
    const { backend, target } = lake;
    const made: string[] = [];
    for (let n = 1; n <= 4; n++) made.push(await backUpChange(n));
    const before = await bundles();
    const pruned = await backend.pruneBackups({ target, keep: 2 });
    expect(pruned).toMatchObject({ backups_kept: 2, deferred: false });
    expect([...pruned.backups_removed].sort()).toEqual(made.slice(0, 2));
    const after = await bundles();
    expect(after.there.sort()).toEqual(after.named);
    // two of them are commits
    expect(before.there.length - after.there.length).toBe(pruned.files_removed - 2);
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
      const { there, named } = await bundles();
      expect(named.filter((sha256) => !there.includes(sha256))).toEqual([]);
    }
  });

  it('leaves nothing of backups that are all deleted, and the next one is whole', async () => {
    const { backend, target } = lake;
    const ids = new Set([await backUpChange(1), await backUpChange(2)]);
    const home = (await openRepository(target, false))!;
    const options = { keep: 1, isOurs: () => true, also: ids, clock: SYSTEM_CLOCK };
    const pruned = await pruneRepository(home, options);
    expect(pruned.backups_removed).toHaveLength(2);
    expect(await bundles()).toEqual({ there: [], named: [] });
    expect(await unneededObjects(home)).toBe(0);
    await backUpChange(3);
    // of the commit without files
    expect((await backend.pruneBackups({ target, keep: 1 })).files_removed).toBe(1);
    await backend.restore({ target, as: 'again', aliases: 'none' });
  });

  it('of a former place keeps what its backups need, and waits for older versions', async () => {
    const { backend, target } = lake;
    cpSync(FORMER, target, { recursive: true });
    await backend.backup({ index: 't', target });
    const lease = join(target, 'leases', 'backup-elsewhere.json');
    mkdirSync(join(target, 'leases'), { recursive: true });
    writeFileSync(lease, JSON.stringify({ host: 'elsewhere', expires_ms: Date.now() + 1000_000 }));
    const deferred = await backend.pruneBackups({ target, keep: 2 });
    expect(deferred).toMatchObject({ backups_kept: 2, files_removed: 0, deferred: true });
    writeFileSync(lease, JSON.stringify({ host: 'elsewhere', expires_ms: Date.now() - 1 }));
    const done = await backend.pruneBackups({ target, keep: 2 });
    expect(done).toMatchObject({ backups_removed: [], deferred: false });
    expect(done.files_removed).toBeGreaterThan(0);
    const [, former] = await backend.listBackups({ target });
    const request = { target, backup: former.backup, aliases: 'none' } as const;
    await backend.restore({ ...request, as: 'again' });
    await backend.pruneBackups({ target, keep: 1 });
    const names = readdirSync(join(target, 'chunks'), { recursive: true }) as string[];
    expect(names.filter((name) => name.includes('/'))).toEqual([]);
  });
});

async function stepsOfBackup(): Promise<number> {
  let steps = 0;
  const { backend, target } = lake;
  await backend.backup({ index: 't', target, verify: true }, { progress: () => void steps++ });
  return Math.min(steps, STEPS);
}
