import {
  type CallContext,
  LhsError,
  type VerifyRequest,
  type VerifyResponse,
} from '@lakehouse-search/contract';
import { checkVerifyRequest } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { fetchColdFiles, hasCold } from '../../index/cold-segments.ts';
import { currentGeneration, generationAt } from '../../open/index-folder.ts';
import { keptGenerations } from '../../open/kept-generations.ts';
import { type KnownIndex, type OpenIndex, openKept } from '../../open/open-index.ts';
import type { ComponentKind } from '../../segment/entry.ts';
import { holdColdBytes } from '../../storage/cold-cache.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import type { CheckOf } from '../../verify/repair.ts';
import type { ComparedSides } from '../../verify/sides.ts';
import type { StructureCheck } from '../../verify/structures.ts';
import { VERIFY_MEMORY } from '../cache/memory-room.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lostInStore } from './publish.ts';
import { buildRunning, openTableOf, writeIndex } from './write-index.ts';

/**
 * Verifies an index, and repairs it if the request says so: only then it takes the write lock. It
 * waits until it fits into the memory beside others and look-ups of rows. Throws interrupted while
 * it waits, and as `verifyIndex` and `repairIndex` do.
 */
export async function verifyLocal(
  indexes: LocalIndexes,
  value: VerifyRequest,
  work: CallContext,
): Promise<VerifyResponse> {
  const request = checkVerifyRequest(value);
  accessible(indexes, request.index, work);
  const leave = await indexes.rowRoom.enter(VERIFY_MEMORY, work.signal);
  try {
    return await verifyHere(indexes, request, work);
  } finally {
    leave();
  }
}

async function verifyHere(
  indexes: LocalIndexes,
  request: VerifyRequest,
  work: CallContext,
): Promise<VerifyResponse> {
  if (request.repair === true) {
    const { repairIndex } = await import('../../verify/repair.ts');
    const known = accessible(indexes, request.index, work);
    const turn = { what: 'repair', signal: work.signal, examine: 'bytes' } as const;
    return writeIndex(indexes, known, turn, async (locked) => {
      refuseWhileAltered(indexes, known);
      return repairIndex(locked, request, work, await checkBeside(indexes, known));
    });
  }
  const started = performance.now();
  const { verifyIndex, verifySample } = await import('../../verify/verify-index.ts');
  const known = accessible(indexes, request.index, work);
  const held = await holdAsked(indexes, known, request.generation);
  const { open, check, follows } = held;
  const endOfRead = holdColdBytes();
  let own: SourceTable | undefined;
  try {
    await fetchColdFiles(open.snapshot.segments, request.deep ? undefined : COMPARED_KINDS);
    const { sample } = request;
    const { baseDir } = follows.registered;
    if (follows !== known) own = await openTableOf(follows, work.signal);
    const table = own ?? (await indexes.tables.newest(known, work.signal));
    const openModel = (model: string) => indexes.openEmbedder(model, baseDir);
    const deep = async (sides: ComparedSides) => {
      const { compareDeep } = await import('../../verify/deep.ts');
      const { openEmbedder } = indexes;
      return compareDeep(open, sides, { baseDir, openEmbedder, ...work, sample });
    };
    const again = request.deep === true ? deep : undefined;
    const whole = async () => {
      return (await verifyIndex(open, table, request, work, check, openModel, again)).answer;
    };
    const answer =
      sample === undefined
        ? await whole()
        : await verifySample(open, table, request, sample, work, again);
    const examined = sample === undefined && follows === known;
    const lost = examined ? await lostInStore(indexes, known, request.deep === true, work) : [];
    const equal = answer.equal && lost.length === 0;
    const faults = [...answer.faults, ...lost];
    return { ...answer, equal, faults, took_ms: Math.round(performance.now() - started) };
  } finally {
    endOfRead();
    open.snapshot.release();
    await own?.close();
  }
}

/** The generation of an alter by field has the documents from before a repair. */
function refuseWhileAltered({ registry }: LocalIndexes, { registered }: KnownIndex): void {
  const running = registry.jobs.running(registered.uuid);
  const alter = running.find(({ record }) => record.redefines?.by === 'field');
  if (alter !== undefined) throw buildRunning('repair', registered.name, alter);
}

/** A commit that is verified, the check of its structures, and the definition that it follows. */
interface Verifiable {
  readonly open: OpenIndex;
  readonly check: StructureCheck;
  readonly follows: KnownIndex;
}

/** The newest commit of the live generation, or of a kept one. Throws not_found. */
async function holdAsked(
  indexes: LocalIndexes,
  known: KnownIndex,
  number: number | undefined,
): Promise<Verifiable> {
  const { folder, registered } = known;
  if (number === undefined || number === currentGeneration(folder)?.number) {
    return { ...(await holdWhatOpens(indexes, known)), follows: known };
  }
  const { openDirectory, registry, clock } = indexes;
  const all = keptGenerations(registry, registered.uuid, folder, clock.now());
  const kept = all.find((one) => one.number === number);
  if (kept === undefined) {
    throw new LhsError('not_found', `"${registered.name}" keeps no generation ${number}`, {
      next: [{ step: 'describe_index', index: registered.name }],
    });
  }
  const { definition, baseDir } = indexes.definitionAt(registered, kept.version);
  const { path } = generationAt(folder, number);
  const open = openKept({ path, number }, definition, openDirectory);
  const { checkHere } = await import('../../verify/structures.ts');
  const { checkInThread } = await import('../../verify/thread.ts');
  const local = openDirectory === openLocalDirectory && !hasCold(open.snapshot.segments);
  const check = local ? checkInThread(path) : checkHere;
  const follows = { ...known, registered: { ...registered, baseDir }, definition };
  return { open, check, follows };
}

/** What a comparison of rows reads of cold segments. */
const COMPARED_KINDS: ReadonlySet<ComponentKind> = new Set([
  'keys',
  'hashes',
  'locators',
  'vector',
  'graph',
]);

/** The newest commit, or what can be opened of it; and who checks it against itself. */
async function holdWhatOpens(
  indexes: LocalIndexes,
  known: KnownIndex,
): Promise<{ readonly open: OpenIndex; readonly check: StructureCheck }> {
  const { checkHere } = await import('../../verify/structures.ts');
  try {
    const open = indexes.hold(known);
    return { open, check: (await checkBeside(indexes, known))(open) };
  } catch (error) {
    const live = currentGeneration(known.folder);
    if (!(error instanceof LhsError) || error.code !== 'corrupt_index' || live === null) {
      throw error;
    }
    const { openDamaged } = await import('../../verify/damaged.ts');
    const { open, faults } = openDamaged(live, known.definition, indexes.openDirectory);
    const check: StructureCheck = async (snapshot, work) => {
      return [...faults, ...(await checkHere(snapshot, work))];
    };
    return { open, check };
  }
}

/** The self check runs in a thread of its own where the index is a folder of this machine. */
async function checkBeside({ openDirectory }: LocalIndexes, known: KnownIndex): Promise<CheckOf> {
  const { checkHere } = await import('../../verify/structures.ts');
  if (openDirectory !== openLocalDirectory) return () => checkHere;
  const { checkInThread } = await import('../../verify/thread.ts');
  return ({ snapshot }) => {
    const live = currentGeneration(known.folder);
    if (live === null || live.number !== snapshot.generation) return checkHere;
    // The thread has no object store.
    if (hasCold(snapshot.segments)) return checkHere;
    return checkInThread(live.path);
  };
}
