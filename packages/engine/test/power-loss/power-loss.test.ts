// @module-tag campaign
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import type { Directory } from '../../src/storage/directory.ts';
import { acknowledgedBy, crashState, type DiskModel, type Random } from './crash-states.ts';
import { type Disk, DiskTrace, diskOf, pathsOf } from './disk-trace.ts';
import { type Forgotten, RecordingDirectory } from './recording-directory.ts';
import { contentOf, type Model, orphansOf, SmallIndex } from './small-index.ts';

/**
 * Power losses under the writer: every state is opened, held against the map of what each commit
 * holds (I1-I4), written to again and swept (I5). LHS_POWER_LOSS asks for more states.
 */
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const STATES = Number(process.env.LHS_POWER_LOSS ?? byEffort(300, 2000, 20_000));
/** States for a writer that forgets something: the first one that is wrong ends the run. */
const ENOUGH = 20_000;
const arena = plainArena();

/** One run of a writer on a recorded disk. */
interface Run {
  readonly trace: DiskTrace;
  /** By commit number: what it holds. */
  readonly states: readonly string[];
  readonly models: readonly Model[];
  readonly shards: number;
}

/** Ten commits of puts, deletes, moves, flushes and merges as the seed has it. */
function runWriter(random: Random, forgets: Forgotten | null): Run {
  const trace = new DiskTrace();
  const directory = new RecordingDirectory(new MemoryDirectory(arena), trace, forgets);
  const models: Model[] = [new Map()];
  const shards = random(3) === 0 ? 3 : 1;
  const index = new SmallIndex(directory, models[0], shards, (number) => {
    trace.acknowledge(number);
    models[number] = new Map(index.model);
  });
  for (let commit = 1; commit <= 10; commit++) {
    for (let i = random(3); i >= 0; i--) change(index, random);
    index.commit();
  }
  index.close();
  return { trace, states: index.states, models, shards };
}

const someKeys = (random: Random, count: number): string[] => [
  ...new Set(Array.from({ length: 1 + random(count) }, () => `key ${random(60)}`)),
];

function change(index: SmallIndex, random: Random): void {
  const what = random(7);
  if (what === 0) index.delete(someKeys(random, 10));
  else if (what === 1) index.moveFile(random(3));
  else if (what === 2) index.merge();
  else if (what === 3) index.compact();
  else index.put(someKeys(random, 40));
  if (what === 4) index.flush();
}

const directoryOf = (disk: Disk): MemoryDirectory =>
  new MemoryDirectory(arena, pathsOf(disk).files);

/** Opens a state, checks it, writes to it and sweeps it. `record`: the trace of that recovery. */
function recover(disk: Disk, run: Run, acknowledged: number, directory: Directory): Run {
  const { number, text } = contentOf(directoryOf(disk));
  expect(number, 'I3: an acknowledged commit is gone').toBeGreaterThanOrEqual(acknowledged);
  expect(text, `I2: commit ${number} holds something else`).toBe(run.states[number]);
  const models = [...run.models];
  const { shards } = run;
  const index = new SmallIndex(directory, models[number] ?? run.models[number], shards, (next) => {
    models[next] = new Map(index.model);
  });
  expect(orphansOf(directory), 'I5: an orphan outlives the next open').toEqual([]);
  index.put(['key 1', 'key 2', 'again']);
  index.delete(['key 3']);
  index.commit();
  const states = [...run.states];
  states[number + 1] = index.states[number + 1];
  index.close();
  expect(contentOf(directory)).toEqual({ number: number + 1, text: states[number + 1] });
  expect(orphansOf(directory), 'I5: an orphan outlives a commit').toEqual([]);
  return { trace: run.trace, states, models, shards };
}

/** One crash, and in every fifth another one during the recovery from it. Gives the crashes. */
function crashOnce(run: Run, model: DiskModel, prefix: number, random: Random): number {
  const disk = crashState(run.trace, prefix, model, random);
  const acknowledged = acknowledgedBy(run.trace.events, prefix);
  if (random(5) > 0) {
    recover(disk, run, acknowledged, directoryOf(disk));
    return 1;
  }
  const trace = new DiskTrace(diskOf(pathsOf(disk).files));
  const recording = new RecordingDirectory(directoryOf(disk), trace);
  const again = { ...recover(disk, run, acknowledged, recording), trace };
  const second = random(trace.events.length + 1);
  const twice = crashState(trace, second, model, random);
  recover(twice, again, acknowledged, directoryOf(twice));
  return 2;
}

/** About half of a trace's places; the one behind a rename, where most is at stake, five times. */
function prefixesOf({ events }: DiskTrace, random: Random): number[] {
  const prefixes: number[] = [];
  for (let prefix = 0; prefix <= events.length; prefix++) {
    const last = events[prefix - 1];
    const renamed = last?.kind === 'names' && last.set !== null && last.unset !== null;
    for (let i = renamed ? 5 : random(2); i > 0; i--) prefixes.push(prefix);
  }
  return prefixes;
}

/** States of runs of the writer, evenly over their traces; throws at the first that is wrong. */
function crashMany(states: number, forgets: Forgotten | null): Map<string, number> {
  const counts = new Map<string, number>();
  let crashes = 0;
  for (let n = 0; crashes < states; n++) {
    const random = seededBelow(SEED + n);
    const run = runWriter(random, forgets);
    const events = run.trace.events.length;
    for (const prefix of prefixesOf(run.trace, random)) {
      if (crashes >= states) break;
      for (const model of ['ordered', 'posix'] as const) {
        try {
          const made = crashOnce(run, model, prefix, random);
          crashes += made;
          counts.set(model, (counts.get(model) ?? 0) + made);
        } catch (error) {
          const place = `seed ${SEED + n}, ${model}, behind event ${prefix} of ${events}`;
          throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
        }
      }
    }
  }
  return counts;
}

describe('a loss of power during commits', () => {
  test(`leaves the last acknowledged commit or a later one intact in ${STATES} states`, () => {
    const counts = crashMany(STATES, null);
    console.log(`power loss: seed ${SEED}, states ${JSON.stringify([...counts])}, 0 violations`);
  });

  test.each<Forgotten>(['file fsync', 'folder fsync before rename', 'folder fsync after rename'])(
    'a writer that forgets the %s is found out',
    (forgets) => {
      expect(() => crashMany(ENOUGH, forgets)).toThrow(/^seed \d+, (ordered|posix), behind event/);
    },
  );
});
