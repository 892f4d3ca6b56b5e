/**
 * Pins: names of commits that no collector deletes, such as backups and branches
 * (docs/format.md, "Published indexes"). A pin is in force if the commit was the newest one after
 * the pin was written: whoever replaces it lists the pins later.
 */
import { randomUUID } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { completeOf, type Fields, whole } from '@lakehouse-search/contract/internal';
import { pinnedBackup, readBackup } from './backups.ts';
import { isDropped, lastCommit, type PublishedCommit, readCommitAt } from './chain.ts';
import { indexName, matching, uuid as uuidCheck } from './manifest.ts';
import { encodeStored, type Home, readStored, type StoredKind } from './stored-json.ts';

const PIN_BYTES = 4096;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,126}$/;

/** A name of a commit. */
export interface CommitPin {
  readonly format: 1;
  readonly name: string;
  /** The index, and the name that it had. */
  readonly uuid: string;
  readonly index: string;
  readonly number: number;
  readonly attempt: string;
  readonly created_ms: number;
  /** Who wrote it: a lost answer is recognized by it. */
  readonly by: string;
}

const pinPrefix = (uuid: string): string => `pins/${uuid}/`;
/** The key of a pin. */
export const pinKey = ({ uuid, name }: Pick<CommitPin, 'uuid' | 'name'>): string =>
  `${pinPrefix(uuid)}${name}.json`;

const BRANCH_KEY = /\/branch\.([0-9a-f-]{36})\.json$/;
/** The name of the pin of a branch, which has this UUID. */
export const branchPinName = (uuid: string): string => `branch.${uuid}`;

/** Keys of the pins of an index for branches, with the UUIDs of these. */
export async function branchPins(
  { store }: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly { readonly key: string; readonly branch: string }[]> {
  const keys = await Array.fromAsync(store.list(pinPrefix(uuid), { signal }), ({ key }) => key);
  return keys.flatMap((key) => {
    const branch = BRANCH_KEY.exec(key)?.[1];
    return branch === undefined ? [] : [{ key, branch }];
  });
}

function damagedPin(path: string, what: string, cause?: unknown): LhsError {
  return new LhsError('corrupt_index', `"${path}", which keeps objects, is damaged: ${what}`, {
    hint: 'a repair of the branch to which they belong writes it again',
    details: { file: path },
    cause,
  });
}

const COUNT = whole(0, Number.MAX_SAFE_INTEGER);
const PIN: Fields<CommitPin> = {
  format: whole(1, 1),
  name: matching(NAME, 'the name of a pin'),
  uuid: uuidCheck,
  index: indexName,
  number: COUNT,
  attempt: uuidCheck,
  created_ms: COUNT,
  by: uuidCheck,
};
const PINS: StoredKind<CommitPin> = {
  maxBytes: PIN_BYTES,
  check: completeOf<CommitPin>(PIN),
  fault: damagedPin,
};

/** A pin by its key; null: there is none. Throws corrupt_index. */
export async function readPin(
  home: Home,
  key: string,
  signal?: AbortSignal,
): Promise<CommitPin | null> {
  const pin = (await readStored(home, key, PINS, signal))?.value ?? null;
  if (pin === null || pinKey(pin) === key) return pin;
  throw damagedPin(`${home.place}/${key}`, `it is of "${pinKey(pin)}"`);
}

/** The commits of an index that pins and backups name. Throws corrupt_index. */
export async function pinnedCommits(
  home: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly PublishedCommit[]> {
  const commits: PublishedCommit[] = [];
  for await (const { key } of home.store.list(pinPrefix(uuid), { signal })) {
    const backup = pinnedBackup(key);
    if (backup !== null) {
      const found = await readBackup(home, backup, { signal });
      if (found?.contents.kind === 'commit') commits.push(found.contents.commit);
      continue;
    }
    const pin = await readPin(home, key, signal);
    const commit = pin === null ? null : await readCommitAt(home, uuid, pin.number, signal);
    if (commit !== null && commit.attempt === pin?.attempt) commits.push(commit);
  }
  return commits;
}

/**
 * Pins a commit; null if it is not the newest one any more. Throws already_exists if another commit
 * has a pin of this name.
 */
export async function pinIfNewest(
  home: Home,
  commit: PublishedCommit,
  as: PinName,
): Promise<CommitPin | null> {
  const pin = await writePin(home, commit, as);
  if (await isNewest(home, pin)) return pin;
  await home.store.delete([pinKey(pin)]);
  return null;
}

/** The name of a pin, and when it is written. */
interface PinName {
  readonly name: string;
  readonly now: number;
}

/** Writes a pin, which may come too late for a sweep. Throws already_exists. */
export async function writePin(
  home: Home,
  { uuid, index, number, attempt }: PublishedCommit,
  { name, now }: PinName,
): Promise<CommitPin> {
  const written = { number, attempt, created_ms: now };
  const pin: CommitPin = { format: 1, name, uuid, index, ...written, by: randomUUID() };
  const key = pinKey(pin);
  const put = await home.store.put(key, encodeStored(pin), { condition: 'absent' });
  if (put === 'refused' && (await readPin(home, key))?.by !== pin.by) throw taken(home, name);
  return pin;
}

const taken = ({ place }: Home, name: string): LhsError =>
  new LhsError('already_exists', `"${place}" has a pinned commit "${name}" of this index`, {
    hint: 'choose another name',
    details: { place },
  });

/** Whether a commit is the newest one of an index that was not dropped. */
export async function isNewest(
  home: Home,
  { uuid, number }: Pick<PublishedCommit, 'uuid' | 'number'>,
): Promise<boolean> {
  // later ones may be gone, but never the last
  const last = await lastCommit(home, uuid);
  return last?.number === number && !(await isDropped(home, uuid));
}
