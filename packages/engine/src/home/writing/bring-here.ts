import { join } from 'node:path';
import type { CallContext } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import type { Clock } from '../../base/time/clock.ts';
import {
  acceptDraft,
  COMMIT_FILE,
  type Commit,
  commitFileOf,
  readCommit,
  writeDraft,
} from '../../index/commits/commit.ts';
import {
  currentGeneration,
  generationAt,
  promoteGeneration,
  sweepGenerations,
} from '../../open/index-folder.ts';
import type { OpenDirectory } from '../../open/open-index.ts';
import { coldAgain } from '../../segment/cool.ts';
import { damagedHome } from '../../source/store-errors.ts';
import { corrupt } from '../../storage/frame.ts';
import { makeFolder, syncFolder } from '../../storage/make-folder.ts';
import type { BundleRef } from '../bundle.ts';
import { readBundleFile } from '../bundle-files.ts';
import { bundleKey, commitKey, type PublishedCommit } from '../chain.ts';
import { checkedPieces } from '../file-source.ts';
import { sealedFiles } from '../pinned-commit.ts';
import { type BundleEnd, REQUESTS_AT_ONCE, readEnd } from '../read-bundle.ts';
import type { Home } from '../stored-json.ts';
import { isHere, writeMissing } from '../write-pieces.ts';

/** The folder of a locked index. */
interface LocalFolder {
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
  readonly clock: Clock;
  readonly named: () => ReadonlySet<number>;
}

/**
 * Puts a published commit in force in the folder of an index, which is locked: the files that it
 * lacks are fetched whole, then the commit. Returns it. Throws corrupt_index, disk_full,
 * interrupted, and as `inStore`.
 */
export async function bringHere(
  home: Home,
  published: PublishedCommit,
  { folder, openDirectory, clock, named }: LocalFolder,
  { signal }: CallContext,
): Promise<Commit> {
  const { uuid, generation } = published;
  const { path } = generationAt(folder, generation);
  makeFolder(path);
  const directory = openDirectory(path);
  const find = fileFinder(home, published, signal);
  const last = await find(COMMIT_FILE);
  const hot = writeDraft(directory, last.wholeFile(last.file));
  const commit = asColdAs(readCommit(directory), hot);
  if (commit !== hot) writeDraft(directory, commitFileOf(commit));
  const missing = [...sealedFiles(commit)].filter(
    ([name, seal]) => !isHere(join(path, name), seal),
  );
  await eachOf(missing, REQUESTS_AT_ONCE, async ([name, seal]) => {
    const { ref, file, wholeFile } = await find(name);
    const place = `${home.place}/${bundleKey(uuid, ref)}`;
    const pieces = async function* () {
      if (file.resident === null) yield wholeFile(file);
      else yield* readBundleFile(home, { uuid, ref }, file, signal);
    };
    const other = () => corrupt(place, `"${name}" is not the file that the commit names`);
    await writeMissing(join(path, name), seal, checkedPieces(pieces(), seal, other));
  });
  syncFolder(path);
  acceptDraft(directory);
  if (currentGeneration(folder)?.number === generation) return commit;
  promoteGeneration(folder, { number: generation, path });
  sweepGenerations(folder, clock.now(), named);
  return commit;
}

/** Finds files of a published commit; each bundle is read once. The finder throws corrupt_index. */
function fileFinder(
  home: Home,
  { uuid, number, bundles, files }: PublishedCommit,
  signal: AbortSignal | undefined,
) {
  const ends = new Map<BundleRef, Promise<BundleEnd>>();
  const endOf = (ref: BundleRef) => {
    const end = ends.get(ref) ?? readEnd(home, uuid, ref, signal);
    ends.set(ref, end);
    return end;
  };
  return async (name: string) => {
    const ref: BundleRef | undefined = bundles[files[name]];
    const end = ref === undefined ? null : await endOf(ref);
    const file = end?.files.find((one) => one.name === name);
    if (end !== null && file !== undefined) return { ref, file, wholeFile: end.wholeFile };
    const path = `${home.place}/${commitKey(uuid, number)}`;
    throw damagedHome(path, `is damaged: no bundle has "${name}"`);
  };
}

/** A commit with the windows cold that are cold here. */
function asColdAs(former: Commit | null, next: Commit): Commit {
  const cold = new Map(
    former?.segments.filter((entry) => entry.cold !== undefined).map((entry) => [entry.id, entry]),
  );
  if (former === null || cold.size === 0) return next;
  const segments = next.segments.map((entry) => coldAgain(entry, cold.get(entry.id)));
  const next_revision = Math.max(former.next_revision, next.next_revision);
  return { ...next, segments, next_revision };
}
