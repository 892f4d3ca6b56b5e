/**
 * Publishes the newest commit of an index in an object store, from where it is opened by location
 * (open-published.ts). Files that are there already are not sent again.
 */
import { randomUUID } from 'node:crypto';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { openObjectStore } from '@lakehouse-search/lake/internal';
import { inStore } from '../source/store-errors.ts';
import type { IndexToBackUp } from './backup-index.ts';
import type { BundleRef } from './bundle.ts';
import {
  appendCommit,
  bundleKey,
  bundleName,
  type Home,
  markHome,
  newestCommit,
  type PublishedCommit,
  readHead,
  removeHead,
  writeHead,
} from './chain.ts';
import { makeBundle } from './make-bundle.ts';
import { type CommitToCopy, pinForCopy, sealedFiles } from './pinned-commit.ts';
import {
  isPublishedLast,
  type Publication,
  readPublication,
  writePublication,
} from './publication.ts';
import { formerOf, isSweepDue, sweepFamily } from './sweep.ts';

/** How a commit is published. */
export interface PublishOptions extends CallContext {
  /** Upload every file again and delete the previous objects at once: they contain erased rows. */
  readonly afresh?: boolean;
}

/** Opens the store of a place. */
export const openHome = async (place: string): Promise<Home> => ({
  store: await openObjectStore(place),
  place,
});

/**
 * Publishes the newest commit of an index unless that was done. Throws already_exists (the place
 * has an index of this name from another data folder), index_busy (another process has published
 * this one), and as `inStore`.
 */
export async function publishIndex(
  index: IndexToBackUp,
  home: Home,
  options: PublishOptions = {},
): Promise<void> {
  await inStore(async () => {
    const published = readPublication(index, home.place);
    if (published.number === 0) await markHome(home, options.signal);
    const newest = await requireOwn(index, home, published);
    const pinned = pinForCopy(index);
    try {
      if (!options.afresh && isPublished(pinned, newest, index.index)) {
        const isNamed = published.name === index.index && published.number === newest.number;
        if (!isNamed) await settle(index, home, published, newest);
        return;
      }
      if (isOlder(pinned, newest)) throw overtaken(index.index, home);
      await publishPinned({ index, home, published, newest, pinned }, options);
    } finally {
      pinned.release();
    }
  });
}

const isPublished = (
  { generation, commit }: CommitToCopy,
  newest: PublishedCommit | null,
  name: string,
): newest is PublishedCommit =>
  newest?.generation === generation && newest.commit === commit.number && newest.index === name;

/** A copy of the folder that was made while it published. */
const isOlder = ({ generation, commit }: CommitToCopy, newest: PublishedCommit | null): boolean =>
  newest?.generation === generation && newest.commit > commit.number;

/** The newest commit in the store, which this folder has published. */
async function requireOwn(
  { index, uuid }: IndexToBackUp,
  home: Home,
  published: Publication,
): Promise<PublishedCommit | null> {
  const head = await readHead(home, index);
  if (head !== null && head.uuid !== uuid) throw taken(index, home);
  const from = Math.max(head?.number ?? 0, published.number);
  const newest = await newestCommit(home, { uuid, number: from });
  const isOwn = newest === null ? from === 0 : isPublishedLast(published, newest);
  if (isOwn) return newest;
  throw overtaken(index, home);
}

/** The error of a folder whose index another one has published since. */
export const overtaken = (index: string, { place }: Home): LhsError =>
  new LhsError('index_busy', `another data folder has published "${index}" in "${place}"`, {
    hint: 'this one is a copy or older: open the index by its location, or choose another storage',
    details: { place },
  });

const taken = (index: string, { place }: Home): LhsError =>
  new LhsError('already_exists', `"${place}" has another index "${index}"`, {
    hint: 'give this one another name, or its storage another prefix',
    details: { place },
  });

interface Work {
  readonly index: IndexToBackUp;
  readonly home: Home;
  readonly published: Publication;
  readonly newest: PublishedCommit | null;
  readonly pinned: CommitToCopy;
}

async function publishPinned(work: Work, options: PublishOptions): Promise<void> {
  const { index, home, published, newest, pinned } = work;
  const attempt = randomUUID();
  const files = options.afresh ? {} : knownFiles(newest, pinned);
  const bundle = await makeBundle(pinned, (name) => files[name] !== undefined, options);
  const number = (newest?.number ?? 0) + 1;
  const begun = { ...published, number: number - 1, attempts: [...published.attempts, attempt] };
  writePublication(index, begun);
  const { signal } = options;
  const object = bundleName(number, attempt);
  await home.store.put(bundleKey(index.uuid, object), bundle.parts, {
    condition: 'absent',
    signal,
  });
  const added = { ...bundle.ref, object };
  const written = { number, attempt };
  const commit = commitOf(work, written, files, { added, names: bundle.names, ...options });
  if (!(await appendCommit(home, commit))) throw overtaken(index.index, home);
  await settle(index, home, begun, commit);
  const isDue = newest !== null && isSweepDue(newest, index.clock.now());
  if (options.afresh || isDue) await sweepFamily(home, index.uuid, commit);
}

/** What follows a commit that is there: its name leads to it. */
async function settle(
  index: IndexToBackUp,
  home: Home,
  published: Publication,
  { number }: PublishedCommit,
): Promise<void> {
  await moveHead(index, home, published.name, number);
  writePublication(index, { ...published, name: index.index, number, attempts: [] });
}

/** The bundles of files that the newest commit in the store has. */
function knownFiles(
  newest: PublishedCommit | null,
  { generation }: CommitToCopy,
): Readonly<Record<string, string>> {
  if (newest?.generation !== generation) return {};
  const entries = Object.entries(newest.files).map(([name, at]) => [
    name,
    newest.bundles[at].object,
  ]);
  return Object.fromEntries(entries);
}

interface AddedBundle {
  readonly added: BundleRef;
  readonly names: readonly string[];
  /** Nobody needs the former commits. */
  readonly afresh?: boolean;
}

function commitOf(
  { index, newest, pinned }: Work,
  written: Pick<PublishedCommit, 'number' | 'attempt'>,
  known: Readonly<Record<string, string>>,
  { added, names, afresh }: AddedBundle,
): PublishedCommit {
  const parts = index.registered(pinned.commit.definition_version);
  const objects = new Map<string, string>();
  for (const name of sealedFiles(pinned.commit).keys()) {
    if (known[name] !== undefined) objects.set(name, known[name]);
  }
  for (const name of names) objects.set(name, added.object);
  const used = new Set(objects.values());
  const bundles = [...(newest?.bundles ?? []), added].filter(({ object }) => used.has(object));
  const isFirst = newest === null || afresh === true;
  const former = isFirst ? [] : formerOf(newest, { bundles }, index.clock.now());
  const numbers = new Map(bundles.map(({ object }, at) => [object, at]));
  return {
    ...{ format: 1, ...written, index: index.index, uuid: index.uuid },
    ...{ definition: parts.definition, definition_version: parts.definitionVersion },
    ...{ base_dir: parts.baseDir, generation: pinned.generation, commit: pinned.commit.number },
    ...{ bundles, former },
    files: Object.fromEntries([...objects].map(([name, object]) => [name, numbers.get(object)!])),
  };
}

/** Leads the name to the commit; a name that the index had before is removed. */
async function moveHead(
  { index, uuid }: IndexToBackUp,
  home: Home,
  former: string | null,
  number: number,
): Promise<void> {
  for (let isThere = false; !isThere; ) {
    const head = await readHead(home, index);
    if (head !== null && head.uuid !== uuid) throw taken(index, home);
    const isMoved = head !== null && head.number >= number;
    // a late write of this process may come in between
    isThere = isMoved || (await writeHead(home, index, { uuid, number }, head?.etag ?? null));
  }
  if (former === null || former === index) return;
  if ((await readHead(home, former))?.uuid === uuid) await removeHead(home, former);
}
