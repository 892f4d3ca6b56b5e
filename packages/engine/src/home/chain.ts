/**
 * The commits of an index in an object store, one object per commit. Commit n + 1 is written if
 * it is absent: the store decides who writes it. An object leads from the name of an index to its
 * newest commits (docs/format.md, "Published indexes").
 */
import { hash } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import {
  completeOf,
  type Fields,
  list,
  object,
  record,
  text,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import { damagedHome } from '../source/store-errors.ts';
import { BUNDLED_NAME, type BundleRef } from './bundle.ts';
import { indexName, matching, sha256Check, unknownVersion, uuid as uuidCheck } from './manifest.ts';
import { ENDED, encodeStored, type Home, readStored, type StoredKind } from './stored-json.ts';

const HEAD_BYTES = 4096;
/** The newest form of a commit. */
const FORMAT = 1;
const COMMIT_BYTES = 64 * 2 ** 20;

/** Where the commits of an index are. Later ones than `number` may be there. */
export interface Head {
  readonly uuid: string;
  readonly number: number;
}

/** A head, and the version of its object. */
export interface StoredHead extends Head {
  readonly etag: string;
}

/** A commit as its object says it. */
export interface PublishedCommit {
  readonly format: 1;
  readonly number: number;
  /** The attempt that wrote it. */
  readonly attempt: string;
  readonly index: string;
  readonly uuid: string;
  readonly definition: string;
  readonly definition_version: number;
  readonly base_dir: string;
  readonly generation: number;
  /** Number of the commit in its generation. */
  readonly commit: number;
  readonly bundles: readonly BundleRef[];
  /** By name of a file: the number of its bundle in `bundles`. */
  readonly files: Readonly<Record<string, number>>;
  /** Of a backup: length and checksum of each file. */
  readonly seals?: Readonly<Record<string, readonly [number, number]>>;
  /** Commits that were replaced not long ago, the oldest first. */
  readonly former: readonly FormerCommit[];
  /** The index of which this is a branch, and the pin of the commit at which it began. */
  readonly branch_of?: BranchOrigin;
}

/** An index, and a pin of one of its commits. */
export interface BranchOrigin {
  readonly uuid: string;
  readonly pin: string;
}

/** A commit that was replaced. */
export interface FormerCommit {
  readonly number: number;
  readonly replaced_ms: number;
  /** Bundles that the commit after it does not name. */
  readonly dropped: readonly string[];
}

/** What the keys of all objects of an index but its name begin with. */
export const familyPrefix = (uuid: string): string => `families/${uuid}/`;
/** The key of the object of a name. */
export const headKey = (name: string): string => `indexes/${name}`;
const movedKey = (name: string): string => `moved/${name}`;
const digits = (number: number): string => String(number).padStart(12, '0');
/** What the keys of the commits of an index begin with. */
export const commitPrefix = (uuid: string): string => `${familyPrefix(uuid)}commits/`;
/** The key of a commit. */
export const commitKey = (uuid: string, number: number): string =>
  commitPrefix(uuid) + digits(number);
/** The name of the bundle of an attempt at a commit. */
export const bundleName = (number: number, attempt: string): string =>
  attemptPrefix(number) + attempt;
/** A UUID that is made of a text. */
export const uuidOf = (text: string): string =>
  hash('sha256', text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
/** What the names of the bundles of attempts at a commit begin with. */
export const attemptPrefix = (number: number): string => `${digits(number)}-`;
/** Bundles of tasks have such numbers instead of a commit's: no commit has so many before it. */
const FIRST_BUILD = 900_000_000_000;
/** The number in the names of what the tasks of a build upload; the build was planned then. */
export const buildNumber = (plannedMs: number): number =>
  FIRST_BUILD + Math.floor(plannedMs / 1000);
/** When the build was planned whose tasks gave a bundle its number; null: a commit did. */
export const plannedMs = (number: number): number | null =>
  number < FIRST_BUILD ? null : (number - FIRST_BUILD) * 1000;
const droppedKey = (uuid: string): string => `${familyPrefix(uuid)}dropped`;

/** What the keys of the bundles of an index begin with. */
export const bundlePrefix = (uuid: string): string => `${familyPrefix(uuid)}data/`;
/** The key of a bundle that a commit of an index names. */
export const bundleKey = (
  uuid: string,
  { family = uuid, object }: Pick<BundleRef, 'family' | 'object'>,
): string => bundlePrefix(family) + object;

/** The head of an index by name; null: there is none. */
export async function readHead(
  home: Home,
  name: string,
  signal?: AbortSignal,
): Promise<StoredHead | null> {
  const found = await readStored(home, headKey(name), HEADS, signal);
  return found === null ? null : { ...found.value, etag: found.etag };
}

/**
 * Writes the head of a name: `etag` of the one that it replaces. Returns its own; null if another
 * is there.
 */
export async function writeHead(
  { store }: Home,
  name: string,
  { uuid, number }: Head,
  etag: string | null,
): Promise<string | null> {
  const condition = etag === null ? ('absent' as const) : { etag };
  const put = await store.put(headKey(name), encodeStored({ uuid, number }), { condition });
  return put === 'refused' ? null : put.etag;
}

/** Removes a name. `movedTo`: where its index is from now on, for readers. */
export async function removeHead({ store }: Home, name: string, movedTo?: string): Promise<void> {
  if (movedTo === undefined) return store.delete([headKey(name), movedKey(name)]);
  await store.put(movedKey(name), encodeStored({ to: movedTo }));
  await store.delete([headKey(name)]);
}

/** Where the index of a removed name is; null: it was dropped or renamed, if it was there. */
export const whereMoved = async (
  home: Home,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> =>
  (await readStored(home, movedKey(name), MOVED, signal))?.value.to ?? null;

/** Marks an index as dropped for ever: no writer goes on with it, nobody pins its commits. */
export async function markDropped({ store }: Home, uuid: string): Promise<void> {
  await store.put(droppedKey(uuid), Buffer.from('{}'), { condition: 'absent' });
}

/** Whether an object says no more than that an index was dropped. */
export const isEnd = (key: string): boolean => /^families\/[^/]+\/dropped$/.test(key);

/** Whether an index was dropped. */
export const isDropped = async ({ store }: Home, uuid: string): Promise<boolean> =>
  (await store.head(droppedKey(uuid))) !== null;

/** Whether an index was dropped, or ended before its first commit. */
export const isOver = async (home: Home, uuid: string): Promise<boolean> =>
  (await isDropped(home, uuid)) ||
  (await home.store.head(commitKey(uuid, 1)))?.size === ENDED.length;

/**
 * The newest commit of an index, from a number on that its head or writer knows; null: none. Throws
 * corrupt_index if that number and all after it are gone; index_busy if they were dropped or swept.
 */
export async function newestCommit(
  home: Home,
  { uuid, number }: Head,
  signal?: AbortSignal,
): Promise<PublishedCommit | null> {
  let newest: PublishedCommit | null = null;
  if (number > 0) {
    newest = await readCommitAt(home, uuid, number, signal);
    newest ??= await laterCommit(home, { uuid, number }, signal);
  }
  for (let next = (newest?.number ?? 0) + 1; ; next++) {
    const found = await readCommitAt(home, uuid, next, signal);
    if (found === null) return newest;
    newest = found;
  }
}

/** The last commit that is listed, of one that is gone or a later one. Throws as `newestCommit`. */
async function laterCommit(
  home: Home,
  { uuid, number }: Head,
  signal: AbortSignal | undefined,
): Promise<PublishedCommit> {
  const last = await lastNumber(home, uuid, signal);
  const found = last < number ? null : await readCommitAt(home, uuid, last, signal);
  if (found !== null) return found;
  const key = commitKey(uuid, number);
  // a sweep may have been faster
  if (last >= number || (await isDropped(home, uuid))) throw replacedMeanwhile(home.place, key);
  throw goneFrom(home.place, key);
}

/** The last of the commits that are listed; null: there is none. Throws corrupt_index. */
export async function lastCommit(
  home: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<PublishedCommit | null> {
  const last = await lastNumber(home, uuid, signal);
  return last === 0 ? null : readCommitAt(home, uuid, last, signal);
}

/** The commits that are listed, but the last one: they were replaced. Throws as `lastCommit`. */
export async function replacedCommits(
  home: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly PublishedCommit[]> {
  const numbers = (await commitNumbers(home, uuid, signal)).slice(0, -1);
  const commits = numbers.map((number) => readCommitAt(home, uuid, number, signal));
  return (await Promise.all(commits)).filter((commit) => commit !== null);
}

/** Whether an index has commits. */
export async function hasCommits({ store }: Home, uuid: string): Promise<boolean> {
  for await (const { size } of store.list(commitPrefix(uuid))) {
    if (size !== ENDED.length) return true;
  }
  return false;
}

/** The number of the last commit that is listed; 0: there is none. */
const lastNumber = async (...of: Parameters<typeof commitNumbers>): Promise<number> =>
  (await commitNumbers(...of)).at(-1) ?? 0;

/** The numbers of the commits that are listed, ascending; other objects may lie among them. */
async function commitNumbers(
  { store }: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const prefix = commitPrefix(uuid);
  const names = await Array.fromAsync(store.list(prefix, { signal }), ({ key }) =>
    key.slice(prefix.length),
  );
  return names.filter((name) => /^\d{12}$/.test(name)).map(Number);
}

/** The names of the indexes of a place, each with the version of its head. */
export const headsIn = (
  { store }: Home,
  signal?: AbortSignal,
): Promise<readonly { readonly name: string; readonly etag: string }[]> =>
  Array.fromAsync(store.list(headKey(''), { signal }), ({ key, etag }) => {
    return { name: key.slice(headKey('').length), etag };
  });

/** The error of a reader that was slower than replaced commits stay, or whose object is lost. */
export const replacedMeanwhile = (place: string, key: string): LhsError =>
  new LhsError('index_busy', `a commit in "${place}" was replaced while it was read`, {
    hint: 'open the index again',
    details: { place, key },
  });

/** The error of a lost object. */
export const goneFrom = (place: string, key: string, cause?: unknown): LhsError =>
  damagedHome(`${place}/${key}`, 'is gone', cause);

/** A commit by its number; null: there is none, or no longer. Throws corrupt_index. */
export async function readCommitAt(
  home: Home,
  uuid: string,
  number: number,
  signal?: AbortSignal,
): Promise<PublishedCommit | null> {
  const check = (json: unknown, path: string) => commitNumbered(number, json, path);
  const kind = { maxBytes: COMMIT_BYTES, check, fault: damagedObject };
  return (await readStored(home, commitKey(uuid, number), kind, signal))?.value ?? null;
}

function commitNumbered(number: number, json: unknown, path: string): PublishedCommit {
  const { format } = json as { readonly format?: unknown };
  if (typeof format === 'number' && format > FORMAT) throw unknownVersion(path, format, FORMAT);
  const commit = checkedCommit(json);
  if (commit.number !== number) throw wrong('number', commit.number, `${number}`);
  for (const bundle of commit.bundles) checkBundle(bundle);
  for (const [name, at] of Object.entries(commit.files)) {
    if (!BUNDLED_NAME.test(name)) throw wrong('files', name, 'names of files of an index');
    if (commit.bundles[at] === undefined) throw wrong(name, at, 'the number of a bundle');
  }
  return commit;
}

const damagedObject = (path: string, what: string, cause?: unknown): LhsError =>
  damagedHome(path, `is damaged: ${what}`, cause);

/** Bytes of a bundle that a reader fetches at once, at most. */
const MOST_WHOLE_BYTES = 2 ** 30;

/** Throws invalid_argument for a bundle whose parts do not follow each other. */
export function checkBundle({ object: name, size, whole: from, opening }: BundleRef): void {
  if (from <= opening && opening <= size && size - from <= MOST_WHOLE_BYTES) return;
  throw wrong(name, size, 'a bundle whose parts follow each other');
}

const COUNT = whole(0, Number.MAX_SAFE_INTEGER);
const MOST_BUNDLES = 100_000;
const bundleNamed = matching(/^\d{12}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a bundle');
const BUNDLE_FIELDS: Fields<BundleRef> = {
  object: bundleNamed,
  size: COUNT,
  whole: COUNT,
  opening: COUNT,
  crc: whole(0, 0xffff_ffff),
  family: uuidCheck,
  sha256: sha256Check,
};
/** The check of a bundle that another object names. */
export const bundleRef = record(BUNDLE_FIELDS, ['object', 'size', 'whole', 'opening', 'crc']);
/** Commits that a commit names as replaced, at most. */
export const MOST_FORMER = 1000;
const FORMER: Fields<FormerCommit> = {
  number: COUNT,
  replaced_ms: COUNT,
  dropped: list(bundleNamed, MOST_BUNDLES),
};
const BRANCH_OF: Fields<BranchOrigin> = { uuid: uuidCheck, pin: text };
const HEAD: Fields<Head> = { uuid: uuidCheck, number: COUNT };
const COMMIT: Fields<PublishedCommit> = {
  format: whole(FORMAT, FORMAT),
  number: COUNT,
  attempt: uuidCheck,
  index: indexName,
  uuid: uuidCheck,
  definition: text,
  definition_version: COUNT,
  base_dir: text,
  generation: whole(1, 999_999_999),
  commit: COUNT,
  bundles: list(bundleRef, MOST_BUNDLES),
  files: object,
  seals: object,
  former: list(record(FORMER, ['number', 'replaced_ms', 'dropped']), MOST_FORMER),
  branch_of: record(BRANCH_OF, ['uuid', 'pin']),
};
const HEADS: StoredKind<Head> = {
  maxBytes: HEAD_BYTES,
  check: completeOf<Head>(HEAD),
  fault: damagedObject,
};
const MOVED: StoredKind<{ readonly to: string }> = {
  maxBytes: HEAD_BYTES,
  check: completeOf<{ readonly to: string }>({ to: text }),
  fault: damagedObject,
};
const checkedCommit = completeOf<PublishedCommit>(COMMIT, 'branch_of', 'seals');

/** Writes the next commit; false if another process wrote it. This makes it visible. */
export async function appendCommit(home: Home, commit: PublishedCommit): Promise<boolean> {
  const { uuid, number, attempt } = commit;
  const key = commitKey(uuid, number);
  const put = await home.store.put(key, encodeStored(commit), { condition: 'absent' });
  // the answer of this very write may have been lost
  return put !== 'refused' || (await readCommitAt(home, uuid, number))?.attempt === attempt;
}
