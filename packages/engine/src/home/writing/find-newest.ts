/** The first stage of a turn: finds the newest commit of an index in its store. */
import { currentGeneration } from '../../open/index-folder.ts';
import {
  isOver,
  lastCommit,
  newestCommit,
  type PublishedCommit,
  readHead,
  type StoredHead,
  uuidOf,
  writeHead,
} from '../chain.ts';
import type { Home } from '../stored-json.ts';
import { refuseDropped } from './move-head.ts';
import { takenThere } from './overtaken.ts';
import type { Publication } from './publication.ts';
import type { IndexAtHome } from './publish.ts';

/** What a store has of an index. */
interface FoundIndex {
  /** The UUID that its objects have, or will have. */
  readonly family: string;
  readonly head: StoredHead | null;
  readonly newest: PublishedCommit | null;
}

/**
 * Finds the newest commit. An index that has left its place begins there under another UUID. Throws
 * already_exists, index_not_found (it was dropped there), index_busy, and as `newestCommit`.
 */
export async function findNewest(
  home: Home,
  index: IndexAtHome,
  published: Publication,
  signal?: AbortSignal,
): Promise<FoundIndex> {
  const { newest, name, family } = published;
  const known = name ?? index.index;
  const head = await readHead(home, known, signal);
  if (head === null) {
    if (newest !== null) return findLost(home, index.index, { newest, name: known, family });
    return { family: await freeFamily(home, index.uuid), head, newest };
  }
  const { uuid, number } = head;
  if (newest?.number === number && uuid === family) return { family, head, newest };
  const found = await newestCommit(home, { uuid, number }, signal);
  if (uuid !== family) requireJoinable(home, index, published, { family: uuid, newest: found });
  return { family: uuid, head, newest: found };
}

/** So often an index may come back to a place. */
const MOST_RETURNS = 1000;

/** The UUID that follows another one: always the same. */
const nextUuid = uuidOf;

/** Whether a UUID follows another one, by any number of steps up to the most. */
function isNextOf(uuid: string, later: string): boolean {
  let next = uuid;
  for (let n = 0; n < MOST_RETURNS && next !== later; n++) next = nextUuid(next);
  return next === later;
}

async function freeFamily(home: Home, uuid: string): Promise<string> {
  let family = uuid;
  while (await isOver(home, family)) family = nextUuid(family);
  return family;
}

/** Throws if an index that another data folder has built is not this one, or this one is built. */
function requireJoinable(
  { place }: Home,
  { index, uuid, folder, isSame }: IndexAtHome,
  published: Publication,
  { family, newest }: Omit<FoundIndex, 'head'>,
): void {
  const isBuilt = currentGeneration(folder) !== null;
  const isOwn = published.newest === null && isNextOf(uuid, family);
  const isFree = !isBuilt && newest !== null && isSame(newest);
  if (!isOwn && !isFree) throw takenThere(index, place);
}

/** What this folder knows of an index whose name is gone. */
interface FormerlyFound extends Pick<FoundIndex, 'family'> {
  readonly newest: PublishedCommit;
  readonly name: string;
}

/**
 * The newest commit of an index whose name the store has lost: this folder sends the name again, or
 * all files if the commits are gone too. Throws if it was dropped.
 */
async function findLost(
  home: Home,
  index: string,
  { newest, name, family }: FormerlyFound,
): Promise<FoundIndex> {
  await refuseDropped(home, { index, family, name });
  const last = await lastCommit(home, family);
  if (last === null || last.number < newest.number) {
    const nothing = { ...newest, generation: 0, bundles: [], files: {}, former: [] };
    return { family, head: null, newest: nothing };
  }
  // another data folder may have renamed it: its commit has a definition of that name
  await writeHead(home, last.index, { uuid: family, number: last.number }, null);
  return { family, head: await readHead(home, last.index), newest: last };
}
