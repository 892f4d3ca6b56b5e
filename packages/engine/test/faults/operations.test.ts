// @module-tag campaign
// @module-tag slow
import { rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { LhsError } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth } from '../../../../test/support/effort.ts';
import {
  changes,
  type FileCall,
  interceptFiles,
  type Observer,
  systemError,
} from '../../../../test/support/file-calls.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { expectSound, namedFiles, type Operation, Stage } from './operations.ts';
import { openInline, runWork } from './work.ts';

/**
 * Every system call of whole operations fails, once or for good, half done or not at all. A sample
 * of the calls, spread evenly; LHS_TEST_LONG=1 takes all of them, LHS_FAULTS so many a kind.
 */
const CASES_A_KIND = Number(process.env.LHS_FAULTS ?? byEffort(1, 2, Number.POSITIVE_INFINITY));

/** A fault: which calls it counts, and what it does at the n-th of them. */
interface Kind {
  readonly name: string;
  readonly counts: (call: FileCall) => boolean;
  readonly strike: (call: FileCall) => number | undefined;
  /** It strikes at every call from the n-th on. */
  readonly sticky?: boolean;
  /** The operation must end well in spite of it. */
  readonly harmless?: boolean;
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
    harmless: true,
  },
];

let stage: Stage;
/** The calls of each operation that nothing befalls. */
const callsOf = new Map<Operation, readonly FileCall[]>();
beforeAll(async () => {
  stage = await Stage.make(byEffort([3], [1, 3]));
  for (const operation of everyNth(stage.operations, byEffort(2, 1))) {
    const calls: FileCall[] = [];
    const note = (call: FileCall) => calls.push(call) < 0;
    const kind: Kind = { name: 'none', counts: note, strike: () => undefined };
    const { data, error } = await runUnder(operation, kind, 0);
    expect(error).toBeNull();
    rmSync(data, { recursive: true });
    callsOf.set(operation, calls);
  }
}, 600_000);
afterAll(() => stage.dispose());

interface Outcome {
  readonly data: string;
  readonly acknowledged: number;
  readonly error: unknown;
  /** The call that was struck first, and the one before it that changed something. */
  readonly struck: FileCall | null;
  readonly before: FileCall | null;
}

/** Runs an operation on a copy under a fault at the n-th call; the calls, and what it threw. */
async function runUnder(operation: Operation, kind: Kind, at: number): Promise<Outcome> {
  const data = stage.copy(operation);
  let calls = 0;
  let acknowledged = 0;
  let struck: FileCall | null = null;
  let before: FileCall | null = null;
  const observer: Observer = (call) => {
    const counts = kind.counts(call);
    if (counts) calls++;
    if (counts && calls === at) struck = call;
    else if (struck === null && changes(call)) before = call;
    if (!counts) return undefined;
    return calls === at || (kind.sticky && calls > at) ? kind.strike(call) : undefined;
  };
  const stop = interceptFiles(data, observer);
  let error: unknown = null;
  try {
    const backend = await openInline(data);
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
  return { data, acknowledged, error, struck, before };
}

async function strike(operation: Operation, kind: Kind, at: number): Promise<string> {
  const { data, acknowledged, error, struck, before } = await runUnder(operation, kind, at);
  const place = `${operation.name}, ${kind.name} at call ${at}`;
  try {
    if (error !== null) expect(error, place).toBeInstanceOf(LhsError);
    if (error === null && struck?.kind === 'fsync') expectNotNeeded(data, struck, before);
    await expectSound(data, operation, acknowledged);
  } catch (cause) {
    const because = error instanceof Error ? `; it threw: ${error.message}` : '';
    throw new Error(`${place}: ${(cause as Error).message}${because}`, { cause });
  }
  rmSync(data, { recursive: true });
  return error === null ? 'went on' : (error as LhsError).code;
}

/**
 * An operation that went on after an fsync had failed must not need what was not flushed: a merge
 * that was dropped, or the note of which files were found whole.
 */
function expectNotNeeded(data: string, { path }: FileCall, before: FileCall | null): void {
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (folder) expect(before?.to, `went on although "${path}" was not flushed`).toMatch(/verified$/);
  else expect(namedFiles(data), 'R3: a file that was not flushed').not.toContain(basename(path));
}

/** Operations and calls at which a kind strikes: all of them, or some. */
function placesOf(kind: Kind): readonly (readonly [Operation, number])[] {
  const all = [...callsOf].flatMap(([operation, calls]) =>
    calls.filter(kind.counts).map((_, i) => [operation, i + 1] as const),
  );
  const step = Math.max(1, all.length / CASES_A_KIND);
  const first = seededBelow(KINDS.indexOf(kind))(Math.floor(step));
  return all.filter((_, i) => Math.floor((i - first) / step) > Math.floor((i - first - 1) / step));
}

describe('operations on a faulty disk', () => {
  it.each(KINDS)(
    'leave an intact index after $name at any call',
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
      if (kind.harmless) expect(named).toEqual([]);
    },
    14_400_000,
  );
});
