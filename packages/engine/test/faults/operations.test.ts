import { rmSync } from 'node:fs';
import { LhsError, openLocal } from '@lakehouse-search/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seeded } from '../power-loss/crash-states.ts';
import {
  changes,
  type FileCall,
  interceptFiles,
  type Observer,
  systemError,
} from './file-calls.ts';
import { expectSound, type Operation, Stage } from './operations.ts';
import { runWork } from './work.ts';

/**
 * Every system call of whole operations fails, once or for good, half done or not at all. A sample
 * of the calls, spread evenly; LHS_TEST_LONG=1 takes all of them.
 */
const CASES_A_KIND = process.env.LHS_TEST_LONG === '1' ? Number.POSITIVE_INFINITY : 8;

/** A fault: which calls it counts, and what it does at the n-th of them. */
interface Kind {
  readonly name: string;
  readonly counts: (call: FileCall) => boolean;
  readonly strike: (call: FileCall) => number | undefined;
  /** It strikes at every call from the n-th on. */
  readonly sticky?: boolean;
  /** How the operation must end: well in spite of it, or with an error; else either. */
  readonly ends?: 'well' | 'in error';
}

const refuse = (code: string) => (call: FileCall) => {
  throw systemError(code, call);
};
/** Half of a write reaches the disk, then the error. */
const tear = (code: string) => (call: FileCall) => {
  if (call.kind === 'write') call.part?.((call.bytes?.length ?? 0) >> 1);
  throw systemError(code, call);
};
const opens = ({ kind }: FileCall) => kind === 'create' || kind === 'open';
const looks = (call: FileCall) => !changes(call);

const KINDS: readonly Kind[] = [
  { name: 'EIO', counts: changes, strike: refuse('EIO') },
  { name: 'EIO for good', counts: changes, strike: refuse('EIO'), sticky: true },
  { name: 'torn write, EIO', counts: ({ kind }) => kind === 'write', strike: tear('EIO') },
  {
    name: 'no space',
    counts: ({ kind }) => kind === 'write',
    strike: tear('ENOSPC'),
    sticky: true,
  },
  {
    name: 'fsync EIO',
    counts: ({ kind }) => kind === 'fsync',
    strike: refuse('EIO'),
    ends: 'in error',
  },
  { name: 'EMFILE', counts: opens, strike: refuse('EMFILE') },
  { name: 'EMFILE for good', counts: opens, strike: refuse('EMFILE'), sticky: true },
  { name: 'EROFS for good', counts: changes, strike: refuse('EROFS'), sticky: true },
  { name: 'read EIO', counts: looks, strike: refuse('EIO') },
  { name: 'read EIO for good', counts: looks, strike: refuse('EIO'), sticky: true },
  {
    name: 'short writes',
    counts: ({ kind }) => kind === 'write',
    strike: ({ bytes }) => Math.ceil((bytes?.length ?? 0) / 3),
    sticky: true,
    ends: 'well',
  },
];

let stage: Stage;
let goal = '';
/** The calls of each operation that nothing befalls. */
const callsOf = new Map<Operation, readonly FileCall[]>();
beforeAll(async () => {
  stage = await Stage.make();
  goal = stage.operations.find(({ name }) => name === 'sync of all')?.states.at(-1) ?? '';
  for (const operation of stage.operations) {
    const calls: FileCall[] = [];
    const note = (call: FileCall) => calls.push(call) < 0;
    const kind: Kind = { name: 'none', counts: note, strike: () => undefined };
    const { data, error } = await runUnder(operation, kind, 0);
    expect(error).toBeNull();
    rmSync(data, { recursive: true });
    callsOf.set(operation, calls);
  }
}, 60_000);
afterAll(() => stage.dispose());

/** Runs an operation on a copy under a fault at the n-th call; the calls, and what it threw. */
async function runUnder(
  operation: Operation,
  kind: Kind,
  at: number,
): Promise<{ data: string; calls: number; acknowledged: number; error: unknown }> {
  const data = stage.copy(operation);
  let calls = 0;
  let acknowledged = 0;
  const observer: Observer = (call) => {
    if (!kind.counts(call)) return undefined;
    calls++;
    return calls === at || (kind.sticky && calls > at) ? kind.strike(call) : undefined;
  };
  const stop = interceptFiles(data, observer);
  let error: unknown = null;
  try {
    const backend = await openLocal(data);
    try {
      await runWork(backend, operation.work, () => acknowledged++);
      acknowledged = operation.states.length - 1;
    } finally {
      await backend.close();
    }
  } catch (thrown) {
    error = thrown;
  } finally {
    stop();
  }
  return { data, calls, acknowledged, error };
}

async function strike(operation: Operation, kind: Kind, at: number): Promise<string> {
  const { data, acknowledged, error } = await runUnder(operation, kind, at);
  const place = `${operation.name}, ${kind.name} at call ${at}`;
  try {
    if (error !== null) expect(error, place).toBeInstanceOf(LhsError);
    await expectSound(data, operation, acknowledged, goal);
  } catch (cause) {
    const because = error instanceof Error ? `; it threw: ${error.message}` : '';
    throw new Error(`${place}: ${(cause as Error).message}${because}`, { cause });
  }
  rmSync(data, { recursive: true });
  return error === null ? 'went on' : (error as LhsError).code;
}

/** Writing down which files were found whole: it may fail, and nothing is lost. */
const isOfSidecar = (call: FileCall, at: number, calls: readonly FileCall[]): boolean => {
  const before = calls[at - 1];
  const named = ({ path, to }: FileCall) => /verified/.test(`${path} ${to ?? ''}`);
  return named(call) || (call.kind === 'fsync' && before?.kind === 'rename' && named(before));
};

/** Operations and calls at which a kind strikes: all of them, or some. */
function placesOf(kind: Kind): readonly (readonly [Operation, number])[] {
  const all = [...callsOf].flatMap(([operation, calls]) => {
    const optional = calls.filter(isOfSidecar);
    const counted = calls.filter(kind.counts);
    const places = counted.map((call, i) => ({ call, at: i + 1 }));
    const must = places.filter(({ call }) => kind.ends !== 'in error' || !optional.includes(call));
    return must.map(({ at }) => [operation, at] as const);
  });
  const step = Math.max(1, all.length / CASES_A_KIND);
  const first = seeded(KINDS.indexOf(kind))(Math.floor(step));
  return all.filter((_, i) => Math.floor((i - first) / step) > Math.floor((i - first - 1) / step));
}

it.each(KINDS)(
  '$name at any call of an operation leaves a whole index',
  async (kind) => {
    const outcomes = new Map<string, number>();
    const places = placesOf(kind);
    for (const [operation, at] of places) {
      const outcome = await strike(operation, kind, at);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    console.log(`${kind.name}: ${places.length} cases, ${JSON.stringify([...outcomes])}`);
    const named = [...outcomes.keys()].filter((code) => code !== 'went on');
    const known = /^(io_error|disk_full|disk_short|corrupt_index)$/;
    expect(named.filter((code) => !known.test(code))).toEqual([]);
    if (kind.ends === 'well') expect(named).toEqual([]);
    if (kind.ends === 'in error') expect(outcomes.get('went on')).toBeUndefined();
  },
  14_400_000,
);
