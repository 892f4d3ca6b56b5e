// @module-tag campaign
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth } from '../../../../test/support/effort.ts';
import { changes, interceptFiles } from '../../../../test/support/file-calls.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { expectSound, type Operation, Stage } from '../faults/operations.ts';
import { openInline, runWork } from '../faults/work.ts';
import { acknowledgedBy, crashState, type Random } from './crash-states.ts';
import { type Disk, DiskTrace, pathsOf } from './disk-trace.ts';
import { diskBelow, noteCall } from './trace-calls.ts';

/**
 * Power losses in the middle of whole operations, over all folders of a data folder: generations,
 * CURRENT and locks besides segments and commits. LHS_TEST_LONG=1 tries more states,
 * LHS_POWER_LOSS_WHOLE so many. (The registry is SQLite's: it is not part of the trace.)
 */
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const STATES = Number(process.env.LHS_POWER_LOSS_WHOLE ?? byEffort(5, 8, 1500));

let stage: Stage;
const traces = new Map<Operation, DiskTrace>();
beforeAll(async () => {
  stage = await Stage.make(byEffort([1], [1, 3]));
  // Objects of cold windows are on another disk.
  const traced = stage.operations.filter(({ work }) => !/^(tiers|erase)$/.test(work.kind));
  for (const operation of everyNth(traced, byEffort(4, 1))) {
    traces.set(operation, await record(operation, false));
  }
}, 600_000);
afterAll(() => stage.dispose());

/** What an operation asks of the disk. `forgets`: its fsyncs of folders are left out. */
async function record(operation: Operation, forgets: boolean): Promise<DiskTrace> {
  const data = stage.copy(operation);
  const trace = new DiskTrace(diskBelow(data));
  const stop = interceptFiles(data, (call) => {
    const folder =
      call.kind === 'fsync' && !/[.]|commit|CURRENT|verified/.test(call.path.slice(data.length));
    if (changes(call) && !(forgets && folder)) noteCall(trace, data, call);
    return undefined;
  });
  try {
    const backend = await openInline(data);
    let acknowledged = 0;
    await runWork(backend, operation.work, () => trace.acknowledge(++acknowledged));
    trace.acknowledge(operation.states.length - 1);
    await backend.close();
  } finally {
    stop();
  }
  rmSync(data, { recursive: true });
  return trace;
}

/** Puts a disk into a folder, as the next start of the machine finds it. */
function materialise(disk: Disk, data: string): void {
  const { files, folders } = pathsOf(disk);
  mkdirSync(data);
  for (const folder of folders) mkdirSync(join(data, folder), { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    const ofLock = /writer\.lock/.test(path);
    const text = () => Buffer.from(bytes).toString('latin1');
    const found = ofLock ? text().replace(/"boot_id":"/, '"boot_id":"before ') : bytes;
    writeFileSync(join(data, path), found, 'latin1');
  }
}

/**
 * Events of an operation that a state may have behind it. After CURRENT is renamed, the registry
 * rolls the definition of an alter forward, so it would have to be part of the trace.
 */
function eventsOf({ work }: Operation, { events }: DiskTrace): number {
  if (work.kind !== 'alter') return events.length;
  return events.findIndex((event) => event.kind === 'names' && event.set?.name === 'CURRENT');
}

let states = 0;
async function crash(operation: Operation, trace: DiskTrace, random: Random): Promise<void> {
  const prefix = random(eventsOf(operation, trace) + 1);
  const model = random(2) === 0 ? 'ordered' : 'posix';
  const data = join(stage.folder, `state-${states++}`);
  materialise(crashState(trace, prefix, model, random), data);
  const place = `${operation.name}, ${model}, behind event ${prefix} of ${trace.events.length}`;
  try {
    await expectSound(data, operation, acknowledgedBy(trace.events, prefix));
  } catch (cause) {
    throw new Error(`${place}: ${(cause as Error).message}`, { cause });
  } finally {
    rmSync(data, { recursive: true });
  }
}

describe('a loss of power during operations', () => {
  it(`leaves the old state or a later one in ${STATES} states`, async () => {
    const random = seededBelow(SEED);
    const all = [...traces];
    for (let n = 0; n < STATES; n++) {
      const [operation, trace] = all[n % all.length];
      await crash(operation, trace, random);
    }
    console.log(`power loss in whole operations: seed ${SEED}, ${STATES} states, 0 violations`);
  }, 3_600_000);

  /** One state in about thirty shows it, and the trace is never twice the same. */
  const MOST_ATTEMPTS = 1000;

  it.each(['sync of all', 'upgrade'])(
    'is detected as fatal in "%s" if folders are not flushed',
    async (wanted) => {
      const operation = stage.operations.find(({ name }) => name === wanted);
      if (operation === undefined) throw new Error('no such operation');
      const trace = await record(operation, true);
      const random = seededBelow(SEED);
      const attempts = async () => {
        for (let n = 0; n < MOST_ATTEMPTS; n++) await crash(operation, trace, random);
      };
      await expect(attempts()).rejects.toThrow(
        new RegExp(`${wanted}, (ordered|posix), behind event`),
      );
    },
  );
});
