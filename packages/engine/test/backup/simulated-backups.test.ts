// @module-tag campaign
/** Backups and prunes of several machines in one repository whose store delays, fails, and loses. */
import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { type SimulatedObjects, SimulatedStore } from '../../../../test/support/simulated-store.ts';
import {
  NO_FAULTS,
  type SimulatedProcess,
  Simulation,
  someFaults,
} from '../../../../test/support/simulation.ts';
import { type BackupWork, underLease } from '../../src/home/backup-index.ts';
import type { BackupFile, BackupManifest } from '../../src/home/manifest.ts';
import { pruneRepository } from '../../src/home/prune.ts';
import {
  chunkKey,
  listManifests,
  type Repository,
  readManifest,
} from '../../src/home/repository.ts';

const SCHEDULES = byEffort(150, 5000, 100_000);
const SEED = Number(process.env.LHS_SEED ?? seedOfDay() * 1_000_000);
const MINUTE = 60_000;
/** Contents of files: few, so that backups share them and prunes find them unused. */
const CONTENTS = 6;

const repositoryOf = (
  simulation: Simulation,
  process: SimulatedProcess,
  objects: SimulatedObjects,
): Repository => ({ store: new SimulatedStore(simulation, process, objects), place: 'simulated' });

/** Backs up some of the contents, as a backup does that has pinned its commit. */
async function backUp(simulation: Simulation, repository: Repository, index: string) {
  const { clock } = simulation;
  const uuid = `00000000-0000-4000-8000-00000000000${index.slice(1)}`;
  const named = { index, uuid, clock };
  const copy = async ({ writer, lease, id, created_ms }: BackupWork) => {
    const files: BackupFile[] = [];
    for (let n = 0; n <= simulation.below(3); n++) {
      const bytes = Buffer.from(`content ${simulation.below(CONTENTS)}`);
      const chunks = [await writer.add(bytes)];
      files.push({ path: `generation/s${n}`, length: bytes.length, chunks });
      await lease.renew();
      await clock.sleep(simulation.below(20 * MINUTE));
    }
    await writer.end();
    const manifest: BackupManifest = {
      ...{ id, index, uuid, created_ms, definition: '', definition_version: 1 },
      ...{ base_dir: '', table_uuid: null, snapshot: null, index_generation: 1, num_docs: 0 },
      ...{ aliases: [], saved_queries: [], files },
    };
    return { manifest };
  };
  return (await underLease(named, repository, {}, copy)).manifest;
}

/** Throws unless all chunks of each visible backup are there. */
async function checkWhole(repository: Repository, objects: SimulatedObjects) {
  const names = await listManifests(repository);
  for (const name of names) {
    const { files } = (await readManifest(repository, name))!;
    for (const { sha256 } of files.flatMap(({ chunks }) => chunks)) {
      expect(objects.has(chunkKey(sha256)), `${name.key} without ${sha256}`).toBe(true);
    }
  }
  return new Set(names.map(({ id }) => id));
}

/** Faults of the store end a backup or a prune; damage is never one of them. */
function passing(error: unknown): null {
  const isPassing = error instanceof LhsError && /^(unreachable|index_busy)$/.test(error.code);
  if (isPassing) return null;
  throw error;
}

/** One schedule: machines that back up and prune; what is visible afterwards is compared. */
async function runSchedule(seed: number): Promise<readonly string[]> {
  const objects: SimulatedObjects = new Map();
  const simulation = new Simulation(seed, someFaults(seed));
  const { clock } = simulation;
  const made = new Set<string>();
  for (let n = 0; n < 2 + simulation.below(2); n++) {
    simulation.start(`machine ${n}`, async (process) => {
      const repository = repositoryOf(simulation, process, objects);
      for (let b = 0; b < 1 + simulation.below(3); b++) {
        const backup = await backUp(simulation, repository, `i${n % 2}`).catch(passing);
        if (backup !== null) made.add(backup.id);
        await clock.sleep(simulation.below(60 * MINUTE));
      }
    });
  }
  for (let n = 0; n < 1 + simulation.below(2); n++) {
    const prunes = async (process: SimulatedProcess) => {
      const repository = repositoryOf(simulation, process, objects);
      for (let p = 0; p < 1 + simulation.below(3); p++) {
        await clock.sleep(simulation.below(120 * MINUTE));
        const options = { keep: 1, isOurs: () => true, clock };
        await pruneRepository(repository, options).catch(passing);
      }
    };
    // one that stands still longer than its lease lasts may delete what a later backup relies on
    simulation.start(`prune ${n}`, prunes, 2 * MINUTE);
  }
  await simulation.run();
  const last = new Simulation(seed, NO_FAULTS);
  last.start('reader', async (process) => {
    const there = await checkWhole(repositoryOf(last, process, objects), objects);
    // each prune keeps the newest backup
    if (made.size > 0) expect(there.size).toBeGreaterThan(0);
  });
  await last.run();
  return simulation.trace;
}

describe('backups and prunes over a store that fails', () => {
  it('leave each visible backup whole', async () => {
    for (let n = 0; n < SCHEDULES; n++) {
      await runSchedule(SEED + n).catch((error: unknown) => {
        throw new Error(`LHS_SEED=${SEED + n}: ${String(error)}`, { cause: error });
      });
    }
  });

  it('follow from their seed', async () => {
    expect(await runSchedule(SEED)).toEqual(await runSchedule(SEED));
  });
});
