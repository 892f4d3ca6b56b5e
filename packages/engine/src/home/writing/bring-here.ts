import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallContext } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import type { Clock } from '../../base/time/clock.ts';
import { acceptDraft, COMMIT_FILE, type Commit, writeDraft } from '../../index/commits/commit.ts';
import {
  currentGeneration,
  generationAt,
  promoteGeneration,
  sweepGenerations,
} from '../../open/index-folder.ts';
import type { OpenDirectory } from '../../open/open-index.ts';
import { corrupt, type FileSeal, FRAME_FOOTER_BYTES } from '../../storage/frame.ts';
import { makeFolder, syncFolder } from '../../storage/make-folder.ts';
import { readBundleFile } from '../bundle-files.ts';
import { bundleKey, type Home, type PublishedCommit } from '../chain.ts';
import { checkedPieces } from '../file-source.ts';
import { sealedFiles } from '../pinned-commit.ts';
import { type BundleEnd, REQUESTS_AT_ONCE, readEnd } from '../read-bundle.ts';
import { writePieces } from '../restore-files.ts';

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
  const { uuid, bundles, generation } = published;
  const { path } = generationAt(folder, generation);
  makeFolder(path);
  const directory = openDirectory(path);
  const ends = new Map<number, Promise<BundleEnd>>();
  const endOf = (name: string) => {
    const at = published.files[name];
    const end = ends.get(at) ?? readEnd(home, uuid, bundles[at], signal);
    ends.set(at, end);
    return end;
  };
  const fileOf = ({ files }: BundleEnd, name: string) => files.find((file) => file.name === name)!;
  const last = await endOf(COMMIT_FILE);
  const commit = writeDraft(directory, last.wholeFile(fileOf(last, COMMIT_FILE)));
  const missing = [...sealedFiles(commit)].filter(
    ([name, seal]) => !isHere(join(path, name), seal),
  );
  await eachOf(missing, REQUESTS_AT_ONCE, async ([name, seal]) => {
    const end = await endOf(name);
    const file = fileOf(end, name);
    const ref = bundles[published.files[name]];
    const place = `${home.place}/${bundleKey(uuid, ref)}`;
    const pieces = async function* () {
      if (file.resident === null) yield end.wholeFile(file);
      else yield* readBundleFile(home, { uuid, ref }, file, signal);
    };
    rmSync(join(path, name), { force: true });
    const other = () => corrupt(place, `"${name}" is not the file that the commit names`);
    await writePieces(join(path, name), checkedPieces(pieces(), seal, other), () => undefined);
  });
  syncFolder(path);
  acceptDraft(directory);
  if (currentGeneration(folder)?.number === generation) return commit;
  promoteGeneration(folder, { number: generation, path });
  sweepGenerations(folder, clock.now(), named);
  return commit;
}

/** Whether a file is there with its length and the checksum of its footer. */
export function isHere(path: string, { length, crc }: FileSeal): boolean {
  if (!existsSync(path)) return false;
  const descriptor = openSync(path, 'r');
  try {
    if (fstatSync(descriptor).size !== length) return false;
    const footer = Buffer.alloc(FRAME_FOOTER_BYTES);
    readSync(descriptor, footer, 0, footer.length, length - footer.length);
    return footer.readUInt32LE(0) === crc;
  } finally {
    closeSync(descriptor);
  }
}
