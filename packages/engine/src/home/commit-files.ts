import { eachOf } from '@lakehouse-search/lake/internal';
import type { Commit } from '../index/commits/commit.ts';
import type { FileBlocks } from '../segment/cold-blocks.ts';
import { damagedHome } from '../source/store-errors.ts';
import { FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import type { BundleFile, BundleRef } from './bundle.ts';
import { fileBlocks, readBundleFile } from './bundle-files.ts';
import { bundleKey, commitKey, type PublishedCommit } from './chain.ts';
import { hotCommit, sealedFiles } from './pinned-commit.ts';
import { type BundleEnd, REQUESTS_AT_ONCE, readEnd } from './read-bundle.ts';
import type { Home } from './stored-json.ts';
import type { Pieces } from './write-pieces.ts';

/** A file of a published commit. */
export interface CommittedFile {
  /** The key of its bundle. */
  readonly key: string;
  readonly length: number;
  readonly blocks: FileBlocks;
  /** Its first bytes, or all of them. */
  readonly opening: Uint8Array;
  readonly footer: Uint8Array;
  /** As many of its first bytes as are named. */
  readonly first: (bytes: number) => Promise<Uint8Array>;
  /** All bytes. */
  readonly pieces: () => Pieces;
}

interface NamedEnd extends Pick<BundleEnd, 'wholeFile'> {
  readonly files: ReadonlyMap<string, BundleFile>;
}

/** Files of an index, and the bundles that have them. */
export type BundledFiles = Pick<PublishedCommit, 'uuid' | 'number' | 'bundles' | 'files'>;

/** Ends of bundles that are read before their files are looked for, at most. */
const MOST_AHEAD_BYTES = 2 ** 28;

/**
 * The files of a published commit in its store. The end of each bundle is read once, and forgotten
 * after its last file was found.
 */
export class CommitFiles {
  readonly #home: Home;
  readonly #published: BundledFiles;
  readonly #signal: AbortSignal | undefined;
  readonly #ends = new Map<BundleRef, Promise<NamedEnd>>();
  readonly #keys: ReadonlySet<string>;
  /** Names of files that were not found yet, by bundle. */
  readonly #unread: ReadonlyMap<BundleRef, Set<string>>;

  constructor(home: Home, published: BundledFiles, signal?: AbortSignal) {
    this.#home = home;
    this.#published = published;
    this.#signal = signal;
    const { uuid, bundles, files } = published;
    this.#keys = new Set(bundles.map((ref) => bundleKey(uuid, ref)));
    const byBundle = Map.groupBy(Object.keys(files), (name) => bundles[files[name]]);
    this.#unread = new Map([...byBundle].map(([ref, names]) => [ref, new Set(names)]));
  }

  get place(): string {
    return this.#home.place;
  }

  /** Whether the commit names a bundle. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Reads ends of bundles with files that another commit has not, side by side. */
  async openUnknown(known: Commit | null): Promise<void> {
    const { bundles, files } = this.#published;
    const seals = known === null ? new Map() : sealedFiles(hotCommit(known));
    const unknown = Object.keys(files).filter((name) => !seals.has(name));
    const refs = new Set(unknown.flatMap((name) => bundles[files[name]] ?? []));
    let room = MOST_AHEAD_BYTES;
    const first = [...refs].filter(({ size, whole }) => (room -= size - whole) >= 0);
    await eachOf(first, REQUESTS_AT_ONCE, (ref) => this.#endOf(ref));
  }

  /** Finds a file. Throws corrupt_index. */
  async find(name: string): Promise<CommittedFile> {
    const { uuid, number, bundles, files } = this.#published;
    const ref: BundleRef | undefined = bundles[files[name]];
    const end = ref === undefined ? null : await this.#endOf(ref);
    if (this.#unread.get(ref)?.delete(name) && this.#unread.get(ref)?.size === 0)
      this.#ends.delete(ref);
    const file = end?.files.get(name);
    if (end === null || file === undefined) {
      const path = `${this.place}/${commitKey(uuid, number)}`;
      throw damagedHome(path, `is damaged: no bundle has "${name}"`);
    }
    const key = bundleKey(uuid, ref);
    const opening = file.resident ?? end.wholeFile(file);
    const read = (part: BundleFile) =>
      readBundleFile(this.#home, { uuid, ref }, part, this.#signal);
    return {
      ...{ key, length: file.length, opening },
      blocks: fileBlocks(file, key),
      footer: file.footer ?? opening.subarray(-FRAME_FOOTER_BYTES),
      first: async (bytes) => {
        if (bytes <= opening.length) return opening.subarray(0, bytes);
        const blocks = file.block * Math.ceil(bytes / file.block);
        const part = { ...file, length: Math.min(file.length, blocks), sha256: undefined };
        return Buffer.concat(await Array.fromAsync(read(part))).subarray(0, bytes);
      },
      pieces: () => (file.resident === null ? [opening] : read(file)),
    };
  }

  #endOf(ref: BundleRef): Promise<NamedEnd> {
    const end = this.#ends.get(ref) ?? this.#readEnd(ref);
    this.#ends.set(ref, end);
    return end;
  }

  async #readEnd(ref: BundleRef): Promise<NamedEnd> {
    const { files, wholeFile } = await readEnd(this.#home, this.#published.uuid, ref, this.#signal);
    return { files: new Map(files.map((file) => [file.name, file])), wholeFile };
  }
}
