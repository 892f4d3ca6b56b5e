/**
 * A run removes what a check finds, one place after the other. Every step can be repeated, and none
 * depends on an earlier run: a killed run is resumed by running it again. Its receipt alone names
 * the objects of stores that were there before.
 *
 * 1. Refuse if the table still has a row, or the index has not applied its deletion.
 * 2. Under the lock of the index: close points in time (if requested), remove crashed builds and
 *    generations that nobody names, rewrite segments with deleted documents of the keys in the live
 *    generation and in kept ones, remove objects that no commit names, then purge the embedding
 *    caches.
 * 3. Remove saved queries, lines of past queries and job records that mention the keys.
 * 4. If requested: make a new backup in each repository, then delete those that hold data.
 * 5. Check again and sign what is true then.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  type CallContext,
  type ErasureActions,
  type ErasureDigest,
  type ErasureObjects,
  type ErasureReport,
  type ErasureStatement,
  LhsError,
} from '@lakehouse-search/contract';
import { heldPins } from '../base/pin-names.ts';
import { CACHE_FOLDER, lockCaches } from '../documents/vectors/models-in-use.ts';
import { sweepFormer } from '../home/windows/former-objects.ts';
import { erasedObjects, noteErased } from '../home/writing/publication.ts';
import { readCommit } from '../index/commits/commit.ts';
import { releasePin } from '../index/commits/pins.ts';
import type { MergeRunner } from '../index/merges/background-merges.ts';
import { discardGeneration, freeBytes, sweepGenerations } from '../open/index-folder.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { Directory } from '../storage/directory.ts';
import type { WriteLock } from '../sync/locked-index.ts';
import {
  type CheckedErasure,
  checkErasure,
  type ErasurePlaces,
  type ErasureSubject,
  type FoundGeneration,
  generationsOf,
  jobBeside,
} from './check-erasure.ts';
import { keyHashes } from './receipt.ts';
import { requireErasable } from './require-erasable.ts';
import { rewriteBothTiers } from './rewrite-cold.ts';
import { coldPlaces } from './search-cold.ts';
import { purgeEmbeddings } from './search-embeddings.ts';
import { familiesOf, leftPlaces, objectsOf, removeLeftPlaces } from './search-published.ts';
import { removeRecords } from './search-records.ts';

/** What a run may do, and how. */
export interface ErasureWork extends CallContext {
  readonly closePits: boolean;
  readonly replaceBackups: boolean;
  readonly runner: (directory: Directory) => MergeRunner;
  /** Runs `work` with the index locked. */
  readonly locked: <T>(work: (lock: WriteLock) => Promise<T>) => Promise<T>;
  /** Lets go of files of the index that this process has open. */
  readonly forget: () => void;
  /** Makes a backup. */
  readonly backUp: (place: string) => Promise<unknown>;
  /** Deletes backups by id; the number of those that went. */
  readonly removeBackups: (place: string, ids: ReadonlySet<string>) => Promise<number>;
}

/** The check after a run, what was done, and the statement to sign. */
export interface ErasureDone {
  readonly report: ErasureReport;
  readonly actions: ErasureActions;
  readonly statement: ErasureStatement;
}

type Actions = { -readonly [K in keyof ErasureActions]: ErasureActions[K] };

/** Runs. Throws already_exists, snapshot_not_reached, and as `checkErasure`. */
export async function runErasure(
  places: ErasurePlaces,
  subject: ErasureSubject,
  work: ErasureWork,
): Promise<ErasureDone> {
  const started_at = new Date(places.now()).toISOString();
  const found = await checkErasure(places, subject, work);
  requireErasable(found.report);
  const actions: Actions = {
    points_in_time_closed: 0,
    segments_rewritten: 0,
    generations_removed: 0,
    cold_objects_removed: 0,
    cache_entries_removed: 0,
    saved_queries_removed: 0,
    history_lines_removed: 0,
    job_records_removed: 0,
    backups_made: 0,
    backups_removed: 0,
  };
  const families = familiesOf(places);
  const folder = { folder: places.known.folder, openDirectory: places.openDirectory };
  const before = new Set([...erasedObjects(folder), ...(await objectsOf(families))]);
  noteErased(folder, before);
  await work.locked((lock) => eraseFiles(places, found, actions, work, lock));
  await removeLeftPlaces(places);
  work.forget();
  refuseAborted(work.signal);
  Object.assign(actions, await removeRecords(found.records, found.keys));
  if (work.replaceBackups) await replaceBackups(places, subject, actions, work);
  const { report } = await checkErasure(places, subject, work);
  const after = await objectsOf([...families, ...familiesOf(places)]);
  const objects = {
    deleted: [...before].filter((one) => !after.has(one)),
    written: [...after].filter((one) => !before.has(one)),
  };
  const statement = await statementOf(places, subject, { report, actions, objects, started_at });
  noteErased(folder, new Set());
  return { report, actions, statement };
}

async function eraseFiles(
  places: ErasurePlaces,
  found: CheckedErasure,
  actions: Actions,
  work: ErasureWork,
  lock: WriteLock,
): Promise<void> {
  const { known, registry, now } = places;
  const { folder, registered } = known;
  const { uuid } = registered;
  const generations = generationsOf(places);
  if (work.closePits) actions.points_in_time_closed = closePins(places, found.report, generations);
  for (const generation of generations) {
    if (mayGo(found.report, generation, places)) {
      registry.generations.forget(uuid, generation.number);
      discardGeneration(folder, generation);
      actions.generations_removed++;
    } else if (generation.state === 'live' || generation.state === 'kept') {
      const directory = places.openDirectory(generation.path, () => lock.assertHeld());
      const { signal, progress } = work;
      const { publish, find } = generation.state === 'live' ? lock : {};
      actions.segments_rewritten += await rewriteBothTiers({
        ...{ directory, runner: work.runner(directory), keys: found.keys },
        ...{ freeBytes: () => freeBytes(generation.path), publish, find, signal, progress },
        left: leftPlaces(places),
      });
    }
  }
  const named = () => new Set(registry.generations.named(uuid, now()).map(({ number }) => number));
  actions.generations_removed += sweepGenerations(folder, now(), named).filter((path) =>
    /gen-\d+$/.test(path),
  ).length;
  const cold = coldPlaces(places);
  actions.cold_objects_removed = await sweepFormer(cold.index, cold.places);
  actions.cache_entries_removed = purgeCaches(places, found);
}

/** Closes the points in time whose commits hold data. */
function closePins(
  { openDirectory, now, dataDir }: ErasurePlaces,
  { remains }: ErasureReport,
  generations: readonly FoundGeneration[],
): number {
  const folders = new Set(
    remains
      .filter(({ place }) => place === 'pinned_commit')
      .map(({ where }) => /^.*gen-\d+/.exec(join(dataDir, where))?.[0]),
  );
  let closed = 0;
  for (const { path } of generations) {
    if (!folders.has(path)) continue;
    const directory = openDirectory(path);
    for (const { id } of heldPins(directory.list(), now())) if (releasePin(directory, id)) closed++;
  }
  return closed;
}

/**
 * A generation that is rebuilt or no longer needed: what a crashed build left, or a kept one whose
 * documents were not kept in step with the table.
 */
function mayGo(
  { remains }: ErasureReport,
  { state, path }: FoundGeneration,
  { dataDir, registry, known }: ErasurePlaces,
): boolean {
  const own = remains.filter(({ where }) => join(dataDir, where).startsWith(`${path}${sep}`));
  if (own.length === 0) return false;
  if (state === 'staged') return jobBeside(registry, known.registered.uuid) === undefined;
  const live = ({ place, detail }: (typeof own)[number]) =>
    place === 'kept_generation' && !detail.endsWith(', deleted');
  return state === 'kept' && own.some(live);
}

function purgeCaches({ known }: ErasurePlaces, { texts, vectors }: CheckedErasure): number {
  const { folder, registered } = known;
  if (!existsSync(join(folder, CACHE_FOLDER))) return 0;
  const lock = lockCaches(join(folder, CACHE_FOLDER));
  if (lock === null) {
    const message = `cannot erase from "${registered.name}": its embedding cache is being written`;
    throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
  }
  try {
    return purgeEmbeddings(folder, texts, vectors);
  } finally {
    lock.release();
  }
}

/** Makes new backups first, so that the index is never without one. */
async function replaceBackups(
  places: ErasurePlaces,
  subject: ErasureSubject,
  actions: Actions,
  work: ErasureWork,
): Promise<void> {
  const { holding, report } = await checkErasure(places, { ...subject, deep: false }, work);
  for (const [place, ids] of holding) {
    const unused = report.remains.some((one) => one.place === 'backup' && one.where === place);
    if (ids.size > 0) {
      await work.backUp(place);
      actions.backups_made++;
    }
    if (ids.size > 0 || unused) actions.backups_removed += await work.removeBackups(place, ids);
  }
}

async function statementOf(
  places: ErasurePlaces,
  { keys, deep }: ErasureSubject,
  {
    report,
    actions,
    objects,
    started_at,
  }: {
    readonly report: ErasureReport;
    readonly actions: ErasureActions;
    readonly objects: ErasureObjects;
    readonly started_at: string;
  },
): Promise<ErasureStatement> {
  const salt = randomBytes(16);
  const { uuid } = places.known.registered;
  return {
    index: report.index,
    index_uuid: uuid,
    table_uuid: places.table.uuid,
    snapshot: report.snapshot,
    started_at,
    ended_at: new Date(places.now()).toISOString(),
    keys: { salt: salt.toString('hex'), hashes: await keyHashes(salt, keys) },
    clean: report.clean,
    deep,
    actions,
    examined: report.examined,
    remains: report.remains.map(({ place, key, goes, until }) => {
      return { place, key, goes, ...(until === undefined ? {} : { until }) };
    }),
    table_snapshots: report.table_snapshots,
    ...digests(places),
    ...(objects.deleted.length + objects.written.length === 0 ? {} : { objects }),
    notes: report.notes,
  };
}

/** Digests of the commits in force, and of the seals of all files that they name. */
function digests(places: ErasurePlaces): {
  readonly commits: readonly ErasureDigest[];
  readonly files: ErasureDigest;
} {
  const commits: ErasureDigest[] = [];
  const all = createHash('sha256');
  let count = 0;
  for (const { path, number } of generationsOf(places)) {
    const directory = places.openDirectory(path);
    const commit = readCommit(directory);
    if (commit === null) continue;
    const sha256 = createHash('sha256').update(directory.read('commit')).digest('hex');
    commits.push({ where: `generation ${number}`, sha256 });
    for (const { components } of commit.segments) {
      for (const { file, length, crc } of components) {
        all.update(`${number}/${file} ${length} ${crc}\n`);
        count++;
      }
    }
  }
  return { commits, files: { where: `${count} files`, sha256: all.digest('hex') } };
}
