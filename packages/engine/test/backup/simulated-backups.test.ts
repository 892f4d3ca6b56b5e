// @module-tag campaign
/** Backups and prunes of several machines in one repository whose store delays, fails, and loses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { type SimulatedObjects, SimulatedStore } from '../../../../test/support/simulated-store.ts';
import {
  NO_FAULTS,
  type SimulatedProcess,
  Simulation,
  someFaults,
} from '../../../../test/support/simulation.ts';
import { backupAtHome } from '../../src/home/backup-at-home.ts';
import { openContents } from '../../src/home/backup-contents.ts';
import { backupIndex } from '../../src/home/backup-index.ts';
import { listBackups, readBackup } from '../../src/home/backups.ts';
import { pruneRepository, unneededObjects } from '../../src/home/prune.ts';
import type { Home } from '../../src/home/stored-json.ts';
import { HomeIndex } from '../../src/home/writing/publish.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { advance, contentOf, makeStates } from '../home/index-states.ts';

const SCHEDULES = byEffort(60, 1000, 50_000);
const SEED = Number(process.env.LHS_SEED ?? seedOfDay() * 1_000_000);
const MINUTE = 60_000;
const STATES = 6;

let home: string;
let states: readonly string[];
/** The files of each state, in hexadecimal. */
let contents: readonly string[];
beforeAll(async () => {
  ({ home, states } = await makeStates(STATES));
  contents = states.map((state) => JSON.stringify(sorted(contentOf(state).files)));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const sorted = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));

const homeOf = (
  simulation: Simulation,
  process: SimulatedProcess,
  objects: SimulatedObjects,
): Home => ({ store: new SimulatedStore(simulation, process, objects), place: 'simulated' });

const indexOf = ({ clock }: Simulation, folder: string, index: string) => ({
  ...{ index, uuid: `00000000-0000-4000-8000-00000000000${index.slice(1)}`, folder, clock },
  openDirectory: openLocalDirectory,
  registered: () => ({
    ...{ definition: '', definitionVersion: 1, baseDir: '', aliases: [], savedQueries: [] },
  }),
});

/** Publishes what is in force in the folder of an index. */
async function publish(index: ReturnType<typeof indexOf>, repository: Home): Promise<void> {
  const home = new HomeIndex({ ...index, isSame: () => true, named: () => new Set() }, repository);
  await home.bringUp();
  await home.settle();
}

/** Throws unless all visible backups have the files of one of the states; their ids. */
async function checkWhole(repository: Home): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const name of await listBackups(repository)) {
    const backup = await readBackup(repository, name);
    if (backup === null) continue;
    const opened = await openContents(repository, backup);
    const files: Record<string, string> = {};
    const { contents: found } = backup;
    const named = found.kind === 'commit' ? Object.keys(found.commit.files) : [];
    for (const file of named) {
      const bytes = Buffer.concat(await Array.fromAsync(opened.read(`generation/${file}`)));
      files[file] = bytes.toString('hex');
    }
    expect(contents, name.key).toContain(JSON.stringify(sorted(files)));
    ids.add(name.id);
  }
  return ids;
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
  const work = mkdtempSync(join(home, 'work-'));
  const simulation = new Simulation(seed, someFaults(seed));
  const { clock } = simulation;
  const made = new Set<string>();
  const isHarsh = simulation.below(2) === 0;
  try {
    for (let n = 0; n < 3; n++) {
      // the last one is at home in the repository; the others are copies of one data folder
      const isAtHome = n === 2;
      simulation.start(`machine ${n}`, async (process) => {
        const repository = homeOf(simulation, process, objects);
        const folder = join(work, `machine-${n}`);
        const index = indexOf(simulation, folder, isAtHome ? 'i1' : 'i0');
        for (let state = simulation.below(2); state < STATES; state += 1 + simulation.below(3)) {
          advance(folder, states[state]!);
          const options = { verify: simulation.below(4) === 0 };
          if (isAtHome) await publish(index, repository).catch(passing);
          const make = isAtHome ? backupAtHome : backupIndex;
          const done = await make(index, repository, options).catch(passing);
          if (done !== null) made.add(done.manifest.id);
          await clock.sleep(simulation.below(60 * MINUTE));
        }
      });
    }
    for (let n = 0; n < 1 + simulation.below(2); n++) {
      simulation.start(`prune ${n}`, async (process) => {
        const repository = homeOf(simulation, process, objects);
        for (let p = 0; p < 1 + simulation.below(3); p++) {
          await clock.sleep(simulation.below(120 * MINUTE));
          // some of the newest go, too, as after an erasure
          const also = isHarsh
            ? new Set([...made].filter(() => simulation.below(3) === 0))
            : undefined;
          const options = { keep: 1, isOurs: () => true, ...(also && { also }), clock };
          await pruneRepository(repository, options).catch(passing);
        }
      });
    }
    await simulation.run();
    const last = new Simulation(seed, NO_FAULTS);
    last.start('reader', async (process) => {
      const repository = homeOf(last, process, objects);
      const there = await checkWhole(repository);
      // each prune keeps the newest backup
      if (made.size > 0 && !isHarsh) expect(there.size).toBeGreaterThan(0);
      const options = { keep: 1, isOurs: () => true, also: new Set<string>(), clock: last.clock };
      await pruneRepository(repository, options);
      expect(await unneededObjects(repository)).toBe(0);
      expect((await checkWhole(repository)).size).toBeLessThanOrEqual(2);
    });
    await last.run();
    return simulation.trace;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
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
