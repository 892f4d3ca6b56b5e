import {
  type CallContext,
  LhsError,
  type VerifyRequest,
  type VerifyResponse,
} from '@lakehouse-search/contract';
import { checkVerifyRequest } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Examination } from '../../home/writing/lost-objects.ts';
import { hasCold } from '../../index/cold-segments.ts';
import { currentGeneration, generationAt } from '../../open/index-folder.ts';
import { keptGenerations } from '../../open/kept-generations.ts';
import { type KnownIndex, type OpenIndex, openKept } from '../../open/open-index.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import type { CheckOf } from '../../verify/repair.ts';
import type { ComparedSides } from '../../verify/sides.ts';
import type { StructureCheck } from '../../verify/structures.ts';
import { VERIFY_MEMORY } from '../cache/memory-room.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lostInStore, NOTHING_LOST } from './publish.ts';
import { buildRunning, openTableOf, timed, writeIndex } from './write-index.ts';

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
  const known = accessible(indexes, request.index, work);
  if (request.repair === true) return repairHere(indexes, known, request, work);
  const examine = async (by: Examination) =>
    timed(() => compareHere(indexes, known, request, { ...work, by }));
  if (request.deep === true || known.definition.windows === undefined) {
    return examine(request.deep === true ? 'bytes' : 'sizes');
  }
  return examine('sizes').catch((error: LhsError) => {
    if (error.code !== 'corrupt_index') throw error;
    // a comparison reads damaged objects of cold windows
    return examine('bytes');
  });
}

async function repairHere(
  indexes: LocalIndexes,
  known: KnownIndex,
  request: VerifyRequest,
  work: CallContext,
): Promise<VerifyResponse> {
  const { repairIndex } = await import('../../verify/repair.ts');
  const { rebuildLost } = await import('../../home/windows/lost-windows.ts');
  const turn = { what: 'repair', signal: work.signal, examine: 'bytes' } as const;
  return writeIndex(indexes, known, turn, async (locked) => {
    refuseWhileAltered(indexes, known);
    await rebuildLost(locked, work);
    return repairIndex(locked, request, work, await checkBeside(indexes, known));
  });
}

/** Compares; `by`: how the store of the index is examined. */
async function compareHere(
  indexes: LocalIndexes,
  known: KnownIndex,
  request: VerifyRequest,
  { by, ...work }: CallContext & { readonly by: Examination },
): Promise<Omit<VerifyResponse, 'took_ms'>> {
  const { verifyIndex, verifySample } = await import('../../verify/verify-index.ts');
  const { sample, generation } = request;
  const isLive = generation === undefined || generation === currentGeneration(known.folder)?.number;
  const examined = sample === undefined && isLive;
  const lost = examined ? await lostInStore(indexes, known, by, work) : NOTHING_LOST;
  const { open, check, follows } = isLive
    ? { ...(await holdWhatOpens(indexes, known, lost.keys)), follows: known }
    : await holdKept(indexes, known, generation);
  let own: SourceTable | undefined;
  try {
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
    const faults = [...answer.faults, ...lost.faults];
    return { ...answer, equal: answer.equal && lost.faults.length === 0, faults };
  } finally {
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

/** The newest commit of a kept generation. Throws not_found. */
async function holdKept(
  indexes: LocalIndexes,
  known: KnownIndex,
  number: number,
): Promise<Verifiable> {
  const { folder, registered } = known;
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

/** The newest commit, or what can be opened of it; and who checks it against itself. */
async function holdWhatOpens(
  indexes: LocalIndexes,
  known: KnownIndex,
  lost: ReadonlySet<string>,
): Promise<Omit<Verifiable, 'follows'>> {
  const { checkHere } = await import('../../verify/structures.ts');
  const { needsOneOf } = await import('../../home/windows/lost-windows.ts');
  const isLost = (entry: SegmentEntry) => needsOneOf(entry, lost);
  try {
    const open = indexes.hold(known);
    const check = (await checkBeside(indexes, known))(open);
    if (!open.snapshot.commit.segments.some(isLost)) return { open, check };
    open.snapshot.release();
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'corrupt_index') throw error;
    if (currentGeneration(known.folder) === null) throw error;
  }
  const live = currentGeneration(known.folder)!;
  const { openDamaged } = await import('../../verify/damaged.ts');
  const { open, faults } = openDamaged(live, known.definition, indexes.openDirectory, isLost);
  const check: StructureCheck = async (snapshot, work) => {
    return [...faults, ...(await checkHere(snapshot, work))];
  };
  return { open, check };
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
