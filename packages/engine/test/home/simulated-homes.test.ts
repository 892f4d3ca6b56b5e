// @module-tag campaign
/** Data folders that publish an index in a store which delays, fails, and loses answers. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { LakeError } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { type SimulatedObjects, SimulatedStore } from '../../../../test/support/simulated-store.ts';
import {
  NO_FAULTS,
  type SimulatedProcess,
  Simulation,
  someFaults,
} from '../../../../test/support/simulation.ts';
import type { Clock } from '../../src/base/time/clock.ts';
import { bringCommit } from '../../src/home/bring-commit.ts';
import {
  commitKey,
  type Head,
  newestCommit,
  type PublishedCommit,
  readCommitAt,
  readHead,
} from '../../src/home/chain.ts';
import { BUNDLE_FORM } from '../../src/home/make-bundle.ts';
import { type CommitPin, pinIfNewest } from '../../src/home/pins.ts';
import type { Home } from '../../src/home/stored-json.ts';
import { removePin, sweepFamily } from '../../src/home/sweep.ts';
import { lastPublication } from '../../src/home/writing/publication.ts';
import { HomeIndex, type IndexAtHome } from '../../src/home/writing/publish.ts';
import { filesOf, readCommit } from '../../src/index/commits/commit.ts';
import { currentGeneration, generationAt, promoteGeneration } from '../../src/open/index-folder.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { contentOf, makeStates } from './index-states.ts';

const SCHEDULES = byEffort(40, 600, 20_000);
const SEED = Number(process.env.LHS_SEED ?? seedOfDay() * 1_000_000);
const MINUTE = 60_000;
const STATES = 6;
/** The name of a branch. */
const BRANCH = 'b';

let home: string;
/** The folder of the index after each of some commits. */
let states: readonly string[];
beforeAll(async () => {
  ({ home, states } = await makeStates(STATES));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const homeOf = (
  simulation: Simulation,
  process: SimulatedProcess,
  objects: SimulatedObjects,
): Home => ({ store: new SimulatedStore(simulation, process, objects), place: 'simulated' });

const PASSING = /^(unreachable|source_unreachable|index_busy|already_exists)$/;

/** Faults of the store, and what was overtaken; damage is none of them. */
function passing(error: unknown): false {
  const { code } = error as LhsError;
  if (error instanceof LhsError && PASSING.test(code)) return false;
  if (error instanceof LakeError && error.reason === 'storage_unreachable') return false;
  throw error;
}

/** The number of the state that is in force in a folder; -1: none. */
function stateIn(folder: string): number {
  const live = existsSync(folder) ? currentGeneration(folder) : null;
  const commit = live === null ? null : readCommit(openLocalDirectory(live.path));
  return commit === null ? -1 : stateOf(live!.number, commit.number);
}

const stateOf = (generation: number, commit: number): number =>
  states.findIndex((folder) => {
    const { number, path } = currentGeneration(folder)!;
    return number === generation && readCommit(openLocalDirectory(path))!.number === commit;
  });

/**
 * Brings a folder to the newest commit, then to the next state, as a sync or reindex does. Returns
 * the state; null: there is none more.
 */
async function commitNext(store: Home, folder: string, uuid: string, clock: Clock) {
  mkdirSync(folder, { recursive: true });
  const home = new HomeIndex(indexIn(folder, uuid, clock), store);
  await home.bringUp();
  const state = stateIn(folder) + 1;
  if (state === STATES) return null;
  const from = currentGeneration(states[state]!)!;
  const { number, path } = generationAt(folder, from.number);
  const commit = readCommit(openLocalDirectory(from.path))!;
  mkdirSync(path, { recursive: true });
  for (const name of filesOf(commit)) {
    if (name !== 'commit') cpSync(join(from.path, name), join(path, name));
  }
  const bytes = readFileSync(join(from.path, 'commit'));
  const accepted = await home.publish({ folder: path, commit, bytes });
  cpSync(join(from.path, 'commit'), join(path, 'commit'));
  const former = currentGeneration(folder);
  promoteGeneration(folder, { number, path });
  if (former !== null && former.number !== number) rmSync(former.path, { recursive: true });
  accepted();
  return state;
}

/** Brings a folder to the newest commit, and sends all of its files again. */
async function eraseFrom(store: Home, folder: string, uuid: string, clock: Clock): Promise<void> {
  if (!existsSync(folder)) return;
  const home = new HomeIndex(indexIn(folder, uuid, clock), store, { afresh: true });
  await home.bringUp();
  await home.settle();
}

/** Makes a branch of the newest commit in a folder of its own; false: there is none yet. */
async function branchFrom(store: Home, folder: string, clock: Clock): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const home = new HomeIndex(indexIn(folder, uuidOf(3), clock), store);
  await home.bringUp();
  const state = stateIn(folder);
  if (state < 0) return false;
  const pin = await home.pinBranch(BRANCH, uuidOf(4));
  const clone = { ...indexIn(`${folder}-clone`, uuidOf(4), clock), index: BRANCH };
  cpSync(folder, clone.folder, { recursive: true });
  rmSync(join(clone.folder, 'published'), { force: true });
  await home.branch(clone, pin, 1);
  return true;
}

const indexIn = (folder: string, uuid: string, clock: Clock): IndexAtHome => ({
  ...{ index: 't', uuid, folder, openDirectory: openLocalDirectory, clock },
  registered: () => ({
    ...{ definition: '', definitionVersion: 1, baseDir: '', aliases: [], savedQueries: [] },
  }),
  isSame: () => true,
  named: () => new Set(),
});

/** Reads the newest commit as an opening by location does; the number of its state. */
async function readNewest(store: Home, folder: string, name = 't'): Promise<number | null> {
  const commit = await newestOf(store, name);
  return commit === null ? null : readWhole(store, commit, folder);
}

async function newestOf(store: Home, name: string): Promise<PublishedCommit | null> {
  const head = await readHead(store, name);
  return head === null ? null : newestCommit(store, head);
}

/** Reads a commit whole; the number of its state. */
async function readWhole(store: Home, commit: PublishedCommit, folder: string): Promise<number> {
  mkdirSync(folder);
  try {
    const to = { folder, openDirectory: openLocalDirectory, formOf: () => () => BUNDLE_FORM };
    await bringCommit(store, commit, to, {});
    const found = readdirSync(join(folder, readdirSync(folder)[0]!));
    const state = states.findIndex((one) => {
      const { number, files } = contentOf(one);
      const same = ([name, hex]: [string, string]) =>
        name === 'commit' ||
        (found.includes(name) &&
          hex === readFileSync(join(folder, readdirSync(folder)[0]!, name), 'hex'));
      return (
        number === commit.generation &&
        found.length === Object.keys(files).length &&
        Object.entries(files).every(same)
      );
    });
    expect(state, `commit ${commit.number}`).toBeGreaterThanOrEqual(0);
    return state;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Pins commits, and lets go of some; those that stay. */
async function pinSome(simulation: Simulation, store: Home): Promise<ReadonlySet<string>> {
  const pins = new Map<string, CommitPin>();
  for (let n = 0; n < 4; n++) {
    await simulation.clock.sleep(simulation.below(60 * MINUTE));
    const first = [...pins.values()][0];
    try {
      if (first !== undefined && simulation.below(2) === 0) {
        pins.delete(first.name);
        await removePin(store, first);
      }
      const commit = await newestOf(store, 't');
      if (commit === null) continue;
      const pin = await pinIfNewest(store, commit, { name: `pin-${n}`, now: Date.now() });
      if (pin !== null) pins.set(pin.name, pin);
    } catch (error) {
      passing(error);
    }
  }
  return new Set(pins.keys());
}

/** The states of the commits of the index in their order, as they appear. */
class Chain {
  readonly states: number[] = [];
  readonly attempts: string[] = [];
  readonly #objects: SimulatedObjects;

  constructor(objects: SimulatedObjects) {
    this.#objects = objects;
  }

  look(): void {
    const head = this.#objects.get('indexes/t');
    if (head === undefined) return;
    const { uuid } = JSON.parse(head.bytes.toString()) as Head;
    for (;;) {
      const object = this.#objects.get(commitKey(uuid, this.states.length + 1));
      if (object === undefined) return;
      const commit = JSON.parse(object.bytes.toString()) as PublishedCommit;
      this.states.push(stateOf(commit.generation, commit.commit));
      this.attempts.push(commit.attempt);
    }
  }
}

const uuidOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** One schedule: folders commit in turns, others read, pin and sweep. */
async function runSchedule(seed: number): Promise<readonly string[]> {
  const objects: SimulatedObjects = new Map();
  const work = mkdtempSync(join(home, 'work-'));
  const simulation = new Simulation(seed, someFaults(seed));
  const { clock } = simulation;
  const chain = new Chain(objects);
  let reached = -1;
  simulation.onStep = () => chain.look();
  const write = async (process: SimulatedProcess, folder: string, uuid: string) => {
    const store = homeOf(simulation, process, objects);
    for (let n = 0; n < STATES + 2; n++) {
      await clock.sleep(simulation.below(40 * MINUTE));
      if (simulation.below(8) === 0) {
        await eraseFrom(store, folder, uuid, clock).catch(passing);
        continue;
      }
      const state = await commitNext(store, folder, uuid, clock).catch(passing);
      if (typeof state !== 'number') continue;
      reached = Math.max(reached, state);
      const { newest } = lastPublication({ folder, openDirectory: openLocalDirectory })!;
      expect(chain.attempts[newest!.number - 1], `commit ${newest!.number}`).toBe(newest!.attempt);
    }
  };
  try {
    const first = simulation.start('first', (process) =>
      write(process, join(work, 'first'), uuidOf(1)),
    );
    simulation.start('second', (process) => write(process, join(work, 'second'), uuidOf(2)));
    simulation.start('heir', async (process) => {
      await clock.sleep(simulation.below(120 * MINUTE));
      // goes on in the folder of a process that was killed, or in a copy of it
      const folder = first.state === 'killed' ? 'first' : 'copy';
      const own = join(work, 'first');
      if (folder === 'copy' && existsSync(own))
        cpSync(own, join(work, 'copy'), { recursive: true });
      await write(process, join(work, folder), uuidOf(1));
    });
    simulation.start('reader', async (process) => {
      for (let n = 0; n < 6; n++) {
        await clock.sleep(simulation.below(40 * MINUTE));
        await readNewest(homeOf(simulation, process, objects), join(work, `read-${n}`)).catch(
          passing,
        );
      }
    });
    simulation.start('brancher', async (process) => {
      const store = homeOf(simulation, process, objects);
      for (let n = 0; n < 3; n++) {
        await clock.sleep(simulation.below(90 * MINUTE));
        const folder = join(work, `branch-${n}`);
        if (await branchFrom(store, folder, clock).catch(passing)) return;
      }
    });
    let pinned: ReadonlySet<string> = new Set();
    simulation.start('keeper', async (process) => {
      pinned = await pinSome(simulation, homeOf(simulation, process, objects));
    });
    simulation.start('sweeper', async (process) => {
      const store = homeOf(simulation, process, objects);
      for (let n = 0; n < 6; n++) {
        await clock.sleep(simulation.below(60 * MINUTE));
        const head = await readHead(store, 't').catch(passing);
        const commit = head ? await newestCommit(store, head).catch(passing) : null;
        // a sweep begins once the name leads to the commit
        if (!head || !commit || head.number !== commit.number) continue;
        // an erasure leaves no former commit
        const former = simulation.below(2) === 0 ? [] : commit.former;
        await sweepFamily(store, commit.uuid, { ...commit, former }).catch(passing);
      }
    });
    await simulation.run();
    // each commit follows from the one before it or repeats it, and none that was reported is gone
    const steps = chain.states.map((state, n) => state - (chain.states[n - 1] ?? -1));
    expect(steps.filter((step) => step !== 0 && step !== 1)).toEqual([]);
    expect(chain.states.at(-1) ?? -1).toBeGreaterThanOrEqual(reached);
    const last = new Simulation(seed, NO_FAULTS);
    last.start('reader', async (process) => {
      const state = await readNewest(homeOf(last, process, objects), join(work, 'last'));
      expect(state ?? -1).toBe(chain.states.at(-1) ?? -1);
      const store = homeOf(last, process, objects);
      // whatever became of its index, a branch is whole
      await readNewest(store, join(work, 'last-branch'), BRANCH);
      const pins: CommitPin[] = [];
      for await (const { key } of store.store.list('pins/')) {
        const object = await store.store.get(key, { maxBytes: 4096 });
        const pin = typeof object === 'string' ? null : JSON.parse(`${Buffer.from(object.bytes)}`);
        if (pinned.has(pin?.name)) pins.push(pin);
      }
      expect(pins).toHaveLength(pinned.size);
      for (const { name, uuid, number, attempt } of pins) {
        const commit = await readCommitAt(store, uuid, number);
        expect(commit?.attempt, `pin ${name} of commit ${number}`).toBe(attempt);
        await readWhole(store, commit!, join(work, name));
      }
    });
    await last.run();
    return simulation.trace;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

describe('indexes that are published over a store that fails', () => {
  it('are read whole, and have one history', async () => {
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
