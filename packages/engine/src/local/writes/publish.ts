import { type CallContext, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import type { PublishedCommit } from '../../home/chain.ts';
import type { Examination } from '../../home/writing/lost-objects.ts';
import {
  allPublications,
  changeLeft,
  lastPublication,
  leaveLast,
  leftPublications,
  type Publication,
  readPublication,
} from '../../home/writing/publication.ts';
import type { HomeIndex, IndexAtHome, PublishOptions } from '../../home/writing/publish.ts';
import { requireCommit } from '../../index/commits/commit.ts';
import { currentGeneration, indexFolder } from '../../open/index-folder.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import type { RegisteredIndex } from '../../registry/registry.ts';
import { definitionDigest } from '../../schema/definition-digest.ts';
import { requireDefinition } from '../../schema/parse/parse-definition.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { inStore } from '../../source/store-errors.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { indexToBackUp } from './index-to-back-up.ts';

/**
 * An index in its store, for a turn with its lock, brought to the newest commit there; null: its
 * definition has no `storage`. Throws as `HomeIndex.bringUp`.
 */
export async function openAtHome(
  indexes: LocalIndexes,
  { uuid }: Pick<RegisteredIndex, 'uuid'>,
  options: PublishOptions,
): Promise<HomeIndex | null> {
  const known = publishedIndex(indexes, uuid);
  leaveFormer(indexes, uuid, known);
  if (known === null) return null;
  const { openHome } = await import('../../home/repository.ts');
  const { HomeIndex } = await import('../../home/writing/publish.ts');
  const home = new HomeIndex(atHome(indexes, known), await openHome(known.storage), options);
  const brought = await home.bringUp();
  if (brought !== null) {
    indexes.forget(uuid);
    takeDefinition(indexes, known, brought);
  }
  return home;
}

/**
 * Throws unless an index can be published under a definition that is not in force yet. Throws as
 * `HomeIndex.tryWrite`.
 */
export async function tryHome(
  indexes: LocalIndexes,
  known: KnownIndex,
  options: PublishOptions,
): Promise<void> {
  const storage = homePlace(known.definition, known.registered.baseDir);
  if (storage === null) return;
  const { openHome } = await import('../../home/repository.ts');
  const { HomeIndex } = await import('../../home/writing/publish.ts');
  await new HomeIndex(atHome(indexes, known), await openHome(storage), options).tryWrite();
}

/** What a store answers that is away, or has another index: it says nothing about this one. */
const AWAY: ReadonlySet<string> = new Set<ErrorCode>([
  'already_exists',
  'invalid_argument',
  'not_found',
  'permission_denied',
  'unreachable',
]);

/**
 * An index in its store, as `openAtHome`; null too if a turn does not use the store (`false`), and
 * if it leaves one that is away while the data folder has all files (`left`). Else the error of
 * such a store names this way.
 */
export async function enterHome(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  how: false | 'left' | undefined,
  options: PublishOptions,
): Promise<HomeIndex | null> {
  if (how === false) return null;
  try {
    return await openAtHome(indexes, registered, options);
  } catch (error) {
    const named = withWayOut(indexes, registered, error);
    if (how === 'left' && named !== error) return null;
    throw named;
  }
}

/** The error of a store; of one that is away, how a data folder with all files goes on. */
function withWayOut(
  indexes: LocalIndexes,
  { uuid, name: index }: Pick<RegisteredIndex, 'uuid' | 'name'>,
  error: unknown,
): unknown {
  const isAway = error instanceof LhsError && AWAY.has(error.code);
  if (!isAway || coldOf(folderOf(indexes, uuid)).length > 0) return error;
  const { code, message, details, hint: own } = error;
  const gone = 'if the store is gone for good, the data folder goes on without it:';
  const hint = code === 'already_exists' ? `${own}, or none:` : gone;
  const next = [{ step: 'leave_store', index }] as const;
  return new LhsError(code, message, { hint, next, details, cause: error });
}

/** The cold segments of the commit in force. */
function coldOf({ folder, openDirectory }: ReturnType<typeof folderOf>): readonly SegmentEntry[] {
  const live = currentGeneration(folder);
  const commit = live === null ? null : requireCommit(openDirectory(live.path));
  return commit?.segments.filter(({ cold }) => cold !== undefined) ?? [];
}

/** The name in the store: nodes that have some of the shards share that of the index. */
const nameThere = ({ definition: { only }, registered }: KnownIndex): string =>
  only === undefined ? registered.name : registered.uuid;

/** An index as publishing takes it. */
export const atHome = (indexes: LocalIndexes, known: KnownIndex): IndexAtHome => ({
  ...indexToBackUp(indexes, known),
  index: nameThere(known),
  hot: known.definition.windows?.hot,
  isSame: (commit) => {
    const now = indexes.registry.at(known.registered.uuid);
    return now !== undefined && isSame(indexes.known(now.name), commit);
  },
  named: () => indexes.named(known.registered.uuid),
});

/**
 * Publishes what a turn has changed otherwise than by a commit; an index with another place leaves
 * its former one. Throws as `HomeIndex.settle`.
 */
export async function settleAtHome(
  indexes: LocalIndexes,
  { uuid }: Pick<RegisteredIndex, 'uuid'>,
  turn: HomeIndex | null,
  options: PublishOptions,
): Promise<void> {
  const known = publishedIndex(indexes, uuid);
  // in its own place it begins anew
  const isOwn = ({ place }: Publication) => place === known?.storage;
  await leavePlaces(indexes, uuid, async (left) => (isOwn(left) ? 'removePublished' : null));
  if (known === null) {
    await warmAll(folderOf(indexes, uuid), options);
    leaveFormer(indexes, uuid, null);
  } else await settleIn(indexes, known, turn, options);
  const to = known === null ? undefined : `${known.storage}/${nameThere(known)}`;
  const rest = async ({ place, name }: Publication) => {
    if (!(await isNeeded(indexes, uuid, place))) return 'removePublished';
    // only points in time read it
    return name === null ? null : 'removeName';
  };
  await leavePlaces(indexes, uuid, rest, to);
}

/** Whether a kept generation or a point in time has cold windows in a place that is left. */
async function isNeeded(indexes: LocalIndexes, uuid: string, place: string): Promise<boolean> {
  const { commitsReading } = await import('../../home/windows/former-objects.ts');
  const index = { ...folderOf(indexes, uuid), now: indexes.clock.now() };
  return commitsReading(index, place).length > 0;
}

/** Brings the windows here that are cold in stores which the index leaves. */
async function warmAll(
  { folder, openDirectory }: ReturnType<typeof folderOf>,
  { signal }: PublishOptions,
): Promise<void> {
  const left = allPublications({ folder, openDirectory }).map(({ place }) => place);
  const live = currentGeneration(folder);
  if (left.length === 0 || live === null) return;
  const cold = coldOf({ folder, openDirectory }).filter(({ cold }) => left.includes(cold!.place));
  if (cold.length === 0) return;
  const { warmSegments } = await import('../../home/windows/move-window.ts');
  await warmSegments(openDirectory(live.path), cold, { signal, fetched: () => undefined });
}

/** Notes that an index leaves the place where it was published last, if its storage is another. */
function leaveFormer(
  indexes: LocalIndexes,
  uuid: string,
  known: { readonly storage: string } | null,
): void {
  const folder = folderOf(indexes, uuid);
  const last = lastPublication(folder);
  if (last !== null && last.place !== known?.storage) leaveLast(folder, last);
}

/** What goes from a place that was left: all, or the name alone. */
type Removal = 'removePublished' | 'removeName';

/** Removes what an index has in places that it has left; `to`: where it is now. */
async function leavePlaces(
  indexes: LocalIndexes,
  uuid: string,
  removalOf: (left: Publication) => Promise<Removal | null>,
  to?: string,
): Promise<void> {
  const folder = folderOf(indexes, uuid);
  for (const left of leftPublications(folder)) {
    const how = left.isStuck === true ? null : await removalOf(left);
    if (how === null) continue;
    const isDone = await isRemoved(left, how, to);
    const nameless = how === 'removeName' ? [{ ...left, name: null }] : [];
    changeLeft(folder, left, isDone ? nameless : [{ ...left, isStuck: true }]);
  }
}

async function settleIn(
  indexes: LocalIndexes,
  known: KnownIndex & { readonly storage: string },
  turn: HomeIndex | null,
  options: PublishOptions,
): Promise<void> {
  const { uuid } = known.registered;
  const isSameHome = turn?.at === `${known.storage}/${nameThere(known)}`;
  const home = isSameHome ? turn : await openAtHome(indexes, { uuid }, options);
  await home?.settle();
}

/** What a store has lost of the newest commit of an index. */
export interface LostInStore {
  readonly keys: ReadonlySet<string>;
  /** A sentence for each object. */
  readonly faults: readonly string[];
}

export const NOTHING_LOST: LostInStore = Object.freeze({ keys: new Set<string>(), faults: [] });

/**
 * What the store of an index has lost of its newest commit; `by`: how it is examined. Throws
 * interrupted, and as `inStore`.
 */
export async function lostInStore(
  indexes: LocalIndexes,
  { registered: { uuid } }: KnownIndex,
  by: Examination,
  call: CallContext,
): Promise<LostInStore> {
  const known = indexes.looks === null ? publishedIndex(indexes, uuid) : null;
  if (known === null) return NOTHING_LOST;
  const { openHome } = await import('../../home/repository.ts');
  const { lookForOther, lostOfNewest } = await import('../../home/writing/lost-objects.ts');
  const { windowsNeeding } = await import('../../home/windows/lost-windows.ts');
  const home = await openHome(known.storage);
  const { folder, openDirectory } = folderOf(indexes, uuid);
  const { newest } = readPublication({ folder, openDirectory, uuid }, home.place);
  const live = currentGeneration(folder);
  if (live === null) return NOTHING_LOST;
  const look = async () => {
    if (newest !== null) return lostOfNewest(home, newest, by, call);
    await lookForOther(home, nameThere(known), uuid, call);
    return NOTHING_LOST.keys;
  };
  const keys = await inStore(look).catch((error) => {
    throw withWayOut(indexes, known.registered, error);
  });
  const commit = requireCommit(openDirectory(live.path));
  const faults = [...keys].map((key) => {
    const windows = windowsNeeding(commit, new Set([key])).join(', ');
    const how = windows === '' ? 'sends it again' : `builds the cold windows ${windows} again`;
    return `"${home.place}/${key}" is lost or damaged: a repair ${how}`;
  });
  return { keys, faults };
}

/** The index if its commits are published. */
function publishedIndex(
  indexes: LocalIndexes,
  uuid: string,
): (KnownIndex & { readonly storage: string }) | null {
  const row = indexes.registry.at(uuid);
  // most definitions have no storage, and are not parsed for that
  if (row === undefined || !row.definition.includes('storage')) return null;
  const known = indexes.known(row.name);
  const storage = homePlace(known.definition, row.baseDir);
  return storage === null ? null : { ...known, storage };
}

/** Whether a published index was made from this definition, whatever its text. */
const isSame = ({ definition }: KnownIndex, published: PublishedCommit): boolean =>
  definition.text === published.definition ||
  definitionDigest(requireDefinition(published.definition, ANALYZER_CATALOG)) ===
    definitionDigest(definition);

/** Puts the definition of a commit in force that another data folder has written. */
function takeDefinition(
  { registry }: LocalIndexes,
  known: KnownIndex,
  published: PublishedCommit,
): void {
  const { registered } = known;
  const { definition: text, definition_version: version } = published;
  const isNewer = version > registered.version;
  if (version < registered.version || (!isNewer && isSame(known, published))) return;
  const definition = requireDefinition(text, ANALYZER_CATALOG);
  const next = storedDefinition(definition, registered.baseDir);
  // of two definitions of one version, that of the commit is in force
  if (isNewer) registry.redefine(registered, next, true, version);
  else registry.redefine(registered, next);
}

/** Removes what an index has published, before it is dropped; what cannot be removed stays. */
export async function dropPublished(
  indexes: LocalIndexes,
  { uuid }: Pick<RegisteredIndex, 'uuid'>,
): Promise<void> {
  for (const publication of allPublications(folderOf(indexes, uuid))) await isRemoved(publication);
}

const folderOf = ({ dataDir, openDirectory }: LocalIndexes, uuid: string) => ({
  folder: indexFolder(dataDir, uuid),
  openDirectory,
});

/** Removes what is in a place that was left, or its name; false, and a warning: it stays. */
async function isRemoved(
  publication: Publication,
  how: Removal = 'removePublished',
  to?: string,
): Promise<boolean> {
  const removing = await import('../../home/writing/remove-published.ts');
  try {
    await removing[how](publication, to);
    return true;
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const what = `an index stays in its former store: ${error.message}`;
    process.emitWarning(what, 'LhsWarning');
    return false;
  }
}
