/** The files of a backup, from its bundles, or from the chunks of the former format. */
import { eachOf } from '@lakehouse-search/lake/internal';
import { damaged, inStore } from '../source/store-errors.ts';
import type { Backup } from './backups.ts';
import { BUNDLED_NAME, type BundleFile, type BundleRef } from './bundle.ts';
import { readBundleFile, readBundleFiles, type StoredBundle } from './bundle-files.ts';
import { bundleKey, bundlePrefix, type PublishedCommit } from './chain.ts';
import { readChunks, requireChunks } from './former-backups.ts';
import { REQUESTS_AT_ONCE } from './read-bundle.ts';
import type { Home } from './stored-json.ts';

/** What a backup has. */
export interface BackupContents {
  /**
   * Lengths of files by path: `generation/<name>`, `embeddings/<model>/<name>`. Bundles may have
   * files that the commit does not name; they are here too.
   */
  readonly lengths: ReadonlyMap<string, number>;
  /** The bytes of a file. Throws corrupt_index. */
  read(path: string): AsyncIterable<Uint8Array>;
}

/** A piece of an embedding cache. */
const CACHE_PIECE = /^(embeddings\/.*)\/(\d{6})$/;

/** The name of a piece of an embedding cache. */
export const pieceName = (name: string, piece: number): string =>
  `${name}/${String(piece).padStart(6, '0')}`;

/** A move between the tiers renames a field file and keeps its bytes. */
const REVISION = /(\.(?:stored|text|keyword|numeric|ordinal|vector|graph))(?:\.\d+)+$/;
/** The name that a file has in bundles of backups, whichever tier it is in. */
export const bundledName = (name: string): string => name.replace(REVISION, '$1');

/** A part of a file. */
interface Part {
  readonly bundle: StoredBundle;
  readonly file: BundleFile;
}

/** Opens a backup. Throws corrupt_index if an object is missing or cut. */
export async function openContents(
  home: Home,
  { contents }: Pick<Backup, 'contents'>,
  signal?: AbortSignal,
): Promise<BackupContents> {
  if (contents.kind === 'commit') return commitContents(home, contents.commit, signal);
  await requireChunks(home, contents.files, signal);
  const files = new Map(contents.files.map((file) => [file.path, file]));
  const lengths = new Map(contents.files.map(({ path, length }) => [path, length]));
  return { lengths, read: (path) => readChunks(home, files.get(path)!, signal) };
}

/** Opens the files of a commit. Throws as `openContents`. */
export async function commitContents(
  home: Home,
  commit: PublishedCommit,
  signal?: AbortSignal,
): Promise<BackupContents> {
  const place = `${home.place}/${commit.index}`;
  await requireBundles(home, commit, signal);
  const opened = await eachOf(commit.bundles, REQUESTS_AT_ONCE, async (ref) => {
    const bundle = { uuid: commit.uuid, ref };
    const files = await readBundleFiles(home, bundle, signal);
    return new Map(files.map((file): [string, Part] => [bundledName(file.name), { bundle, file }]));
  });
  const parts = new Map<string, Part[]>();
  for (const [name, at] of Object.entries(commit.files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const part = opened[at]!.get(bundledName(name));
    if (part === undefined) throw damaged(place, `no bundle has "${name}"`);
    const path = pathOf(name);
    parts.set(path, [...(parts.get(path) ?? []), part]);
  }
  for (const [name, part] of opened.flatMap((files) => [...files])) {
    const path = pathOf(name);
    if (!parts.has(path) && BUNDLED_NAME.test(name)) parts.set(path, [part]);
  }
  const lengths = [...parts].map(([path, all]): [string, number] => [
    path,
    all.reduce((sum, { file }) => sum + file.length, 0),
  ]);
  const read = async function* (path: string) {
    for (const { bundle, file } of parts.get(path)!) {
      yield* readBundleFile(home, bundle, file, signal);
    }
  };
  return { lengths: new Map(lengths), read };
}

const pathOf = (name: string): string => {
  const [, cache] = CACHE_PIECE.exec(name) ?? [];
  return cache ?? `generation/${name}`;
};

async function requireBundles(
  home: Home,
  commit: PublishedCommit,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [bundle, what] of await lostBundles(home, commit, signal)) {
    throw damaged(`${home.place}/${bundleKey(commit.uuid, bundle)}`, `it ${what}`);
  }
}

/** Bundles of a commit that are not in its store as they were sent, and why: by their sizes. */
export async function lostBundles(
  home: Home,
  { uuid, bundles }: PublishedCommit,
  signal?: AbortSignal,
): Promise<ReadonlyMap<BundleRef, string>> {
  const families = new Set(bundles.map(({ family = uuid }) => family));
  const listed = [...families].map((family) => bundleSizes(home, family, signal));
  const sizes = new Map((await Promise.all(listed)).flatMap((all) => [...all]));
  const lost = new Map<BundleRef, string>();
  for (const bundle of bundles) {
    const found = sizes.get(bundleKey(uuid, bundle));
    if (found === undefined) lost.set(bundle, 'is missing');
    else if (found !== bundle.size) lost.set(bundle, `has ${found} bytes, expected ${bundle.size}`);
  }
  return lost;
}

/** Bytes of all bundles of an index by their keys. */
export async function bundleSizes(
  { store }: Home,
  uuid: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  await inStore(async () => {
    for await (const { key, size } of store.list(bundlePrefix(uuid), { signal })) {
      sizes.set(key, size);
    }
  });
  return sizes;
}
