import { LakeError } from '../base/errors.ts';
import { type FileStore, localFiles } from '../base/files/file-store.ts';
import { LIMITS } from '../base/limits.ts';
import { joinPlace } from '../base/place.ts';
import { isMetadataFileName, readMetadataFile } from '../metadata/read-metadata.ts';

/**
 * The newest metadata file of a table's folder. Two layouts occur:
 * - Hadoop: `metadata/vN.metadata.json` (or `vN.gz.metadata.json`, `vN.metadata.json.gz`) and
 *   `version-hint.text`, which may be stale: the search continues with the versions after it. The
 *   hint may be beside `metadata/` or inside it.
 * - the other catalogs': `metadata/NNNNN-<uuid>.metadata.json`, without a hint: the greatest number
 *   wins. Of several files with that number, which failed commits leave behind, the one with the
 *   greatest sequence number wins, then the latest by time.
 */
export interface MetadataVersion {
  readonly path: string;
  /** N of `vN` or `NNNNN`. */
  readonly version: number;
  readonly layout: 'hadoop' | 'numbered';
}

const HADOOP = /^v(\d{1,15})(\.gz)?\.metadata\.json(\.gz)?$/;
const NUMBERED = /^(\d{1,15})-[^/]*\.metadata\.json(\.gz)?$/;

/** The version in a metadata file's name, or null. */
function versionOfName(folder: string, name: string): MetadataVersion | null {
  const hadoop = HADOOP.exec(name);
  if (hadoop)
    return { path: joinPlace(folder, name), version: Number(hadoop[1]), layout: 'hadoop' };
  const numbered = NUMBERED.exec(name);
  if (!numbered) return null;
  return { path: joinPlace(folder, name), version: Number(numbered[1]), layout: 'numbered' };
}

/** The `code` of the cause of an error for an object that is not there. */
const MISSING_OBJECT = 'NoSuchKey';

const HINT = /^\s*v?(\d{1,15})\s*$/;

/**
 * The text of a version hint, or null if there is none. Throws metadata_invalid, limit_exceeded.
 */
async function hintText(path: string, store: FileStore): Promise<string | null> {
  try {
    return (await store.read(path, 'metadata_invalid', LIMITS.versionHintBytes)).toString();
  } catch (error) {
    const { code } = ((error as LakeError).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === MISSING_OBJECT) return null;
    throw error;
  }
}

/** The hinted version of a Hadoop table, or null. */
async function readVersionHint(tableFolder: string, store: FileStore): Promise<number | null> {
  for (const path of [
    joinPlace(tableFolder, 'metadata', 'version-hint.text'),
    joinPlace(tableFolder, 'version-hint.text'),
  ]) {
    const text = await hintText(path, store);
    const match = text === null ? null : HINT.exec(text);
    if (match) return Number(match[1]);
  }
  return null;
}

/** What a table's folder showed when its newest version was found: enough to see a change. */
export interface MetadataPointer {
  readonly hint: number | null;
  /** Device, inode, size and time of the version's own file; null: it is not there. */
  readonly stamp: string | null;
}

/** The pointer of a version. Taken before its file is read, so that a change meanwhile shows. */
export async function pointerOf(
  tableFolder: string,
  { path }: MetadataVersion,
  store: FileStore,
): Promise<MetadataPointer> {
  return { hint: await readVersionHint(tableFolder, store), stamp: await store.stamp(path) };
}

/**
 * Whether `version` is still the newest, without listing the folder: its own file is the same, the
 * hint too, and there is no file of the next version. False if only a full look-up can decide: in
 * folders of numbered files, and if anything differs.
 */
export async function isStillNewest(
  tableFolder: string,
  version: MetadataVersion,
  pointer: MetadataPointer,
  store: FileStore,
): Promise<boolean> {
  if (version.layout !== 'hadoop' || pointer.stamp === null) return false;
  const now = await pointerOf(tableFolder, version, store);
  if (now.hint !== pointer.hint || now.stamp !== pointer.stamp) return false;
  const next = joinPlace(tableFolder, 'metadata', `v${version.version + 1}`);
  const spellings = ['.metadata.json', '.gz.metadata.json', '.metadata.json.gz'];
  const stamps = await Promise.all(spellings.map((ending) => store.stamp(next + ending)));
  return stamps.every((stamp) => stamp === null);
}

/** The metadata files of a folder, in no order. */
async function versionsIn(folder: string, store: FileStore): Promise<readonly MetadataVersion[]> {
  const { files: names } = await store.entries(folder);
  return names
    .filter(isMetadataFileName)
    .map((name) => versionOfName(folder, name))
    .filter((version) => version !== null);
}

/**
 * Removes the numbered files of a Hadoop table before a version, the oldest first: while a version
 * is there, no later one has been removed.
 */
export async function removeVersionsBefore(
  tableFolder: string,
  version: number,
  store: FileStore,
): Promise<void> {
  const versions = await versionsIn(joinPlace(tableFolder, 'metadata'), store);
  const old = versions.filter((file) => file.layout === 'hadoop' && file.version < version);
  for (const { path } of old.sort((a, b) => a.version - b.version)) await store.remove([path]);
}

/**
 * The newest metadata version in a table's folder, or null if the folder holds no table. Throws
 * metadata_invalid if a hint names a version that is not there and no other is.
 */
export async function newestMetadata(
  tableFolder: string,
  store: FileStore,
): Promise<MetadataVersion | null> {
  const folder = joinPlace(tableFolder, 'metadata');
  const versions = await versionsIn(folder, store);
  const hint = await readVersionHint(tableFolder, store);
  const hadoop = versions.filter((version) => version.layout === 'hadoop');
  const numbered = versions.filter((version) => version.layout === 'numbered');
  const newest =
    fromHint(hadoop, hint) ??
    (hadoop.length > 0 ? newestOf(hadoop) : await newestOfNumbered(numbered, store));
  if (newest !== null) return newest;
  if (hint === null) return null;
  throw new LakeError(
    'metadata_invalid',
    `version-hint.text of "${tableFolder}" names version ${hint}, but "${folder}" holds ` +
      'no metadata file',
    { file: joinPlace(folder, `v${hint}.metadata.json`) },
  );
}

/**
 * The last version that follows the hinted one without a gap: a writer may have died before it
 * moved the hint.
 */
function fromHint(
  versions: readonly MetadataVersion[],
  hint: number | null,
): MetadataVersion | null {
  const byNumber = new Map(versions.map((version) => [version.version, version]));
  let found = hint === null ? undefined : byNumber.get(hint);
  for (let next = found; next !== undefined; next = byNumber.get(next.version + 1)) found = next;
  return found ?? null;
}

function newestOf(versions: readonly MetadataVersion[]): MetadataVersion | null {
  const order = (a: MetadataVersion, b: MetadataVersion) =>
    a.version - b.version || (a.path < b.path ? -1 : 1);
  return [...versions].sort(order).at(-1) ?? null;
}

async function newestOfNumbered(
  versions: readonly MetadataVersion[],
  store: FileStore,
): Promise<MetadataVersion | null> {
  const last = newestOf(versions);
  const rivals = versions.filter(({ version }) => version === last?.version);
  if (rivals.length < 2) return last;
  const read = await Promise.all(rivals.map((rival) => sequenceOf(rival, store)));
  const order = read.sort((a, b) => Number(a.sequence - b.sequence) || a.updatedMs - b.updatedMs);
  return order.at(-1)?.version ?? last;
}

/** A file that cannot be read loses against every other; alone it is refused when it is read. */
async function sequenceOf(version: MetadataVersion, store: FileStore) {
  try {
    const { lastSequenceNumber, lastUpdatedMs } = await readMetadataFile(version.path, store);
    return { version, sequence: lastSequenceNumber, updatedMs: lastUpdatedMs };
  } catch {
    return { version, sequence: -1n, updatedMs: 0 };
  }
}

/**
 * Whether a folder is that of a table: it has `metadata/` with a metadata file or a version hint
 * in it.
 */
export async function isTableFolder(
  folder: string,
  store: FileStore = localFiles,
): Promise<boolean> {
  const { files: names } = await store.entries(joinPlace(folder, 'metadata'));
  if (names.length > LIMITS.manifestsPerSnapshot * 16) return true;
  if (names.some((name) => isMetadataFileName(name) || name === 'version-hint.text')) return true;
  return (await store.stamp(joinPlace(folder, 'version-hint.text'))) !== null;
}
