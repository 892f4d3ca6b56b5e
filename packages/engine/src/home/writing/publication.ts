/** What a data folder knows of its commits in a store: the file `published` of an index. */

import { existsSync } from 'node:fs';
import { writeFile } from '../../storage/directory.ts';
import { corrupt } from '../../storage/frame.ts';
import type { PublishedCommit } from '../chain.ts';
import type { IndexFiles } from '../pinned-commit.ts';

const FILE = 'published';
/** Publications in places that the index has left, until they are removed. */
const LEFT = 'published.left';
/** What unended erasures delete. */
const ERASED = 'published.erased';
const DRAFT = 'published.tmp';

/** The commits of an index in a place. */
export interface Publication {
  readonly place: string;
  /** The UUID that its objects have. */
  readonly family: string;
  /** The name under which it is there; null: under none yet. */
  readonly name: string | null;
  /** The commit from which the one in force here comes; null: none. */
  readonly newest: PublishedCommit | null;
  /** Source snapshot of that commit; null: the empty table. Former versions did not note it. */
  readonly snapshot?: string | null;
  /** Whether this folder has written it. */
  readonly isOwn: boolean;
  /** When its objects were last looked for. */
  readonly examinedMs?: number;
  /** It was left and could not be removed: an erasure or a drop tries again. */
  readonly isStuck?: true;
}

/** The folder of an index. */
type PublishedFolder = Pick<IndexFiles, 'folder' | 'openDirectory'>;

/** What an index has published in a place. Throws corrupt_index, io_error. */
export function readPublication(
  index: PublishedFolder & { readonly uuid: string },
  place: string,
): Publication {
  const last = lastPublication(index);
  return last?.place === place
    ? last
    : { place, family: index.uuid, name: null, newest: null, isOwn: false };
}

/** What an index has published last, in whatever place; null: nothing. Throws as above. */
export const lastPublication = (index: PublishedFolder): Publication | null =>
  readJson<Publication>(index, FILE);

/** What an index has published in all places. Throws as above. */
export function allPublications(index: PublishedFolder): readonly Publication[] {
  const last = lastPublication(index);
  return [...(last === null ? [] : [last]), ...leftPublications(index)];
}

/** What an index has published in places that it has left. Throws as above. */
export const leftPublications = (index: PublishedFolder): readonly Publication[] =>
  readJson<readonly Publication[]>(index, LEFT) ?? [];

/** Notes that an index leaves the place where it was published last. Throws io_error, disk_full. */
export function leaveLast(index: PublishedFolder, last: Publication): void {
  changeLeft(index, last, [last]);
  index.openDirectory(index.folder).remove(FILE);
}

/** Locations of objects that were there when an erasure began that has not ended. */
export const erasedObjects = (index: PublishedFolder): readonly string[] =>
  readJson<readonly string[]>(index, ERASED) ?? [];

/** Notes such objects; none once it has ended. Throws io_error, disk_full. */
export function noteErased(index: PublishedFolder, objects: ReadonlySet<string>): void {
  if (objects.size > 0) writeJson(index, ERASED, [...objects]);
  else if (erasedObjects(index).length > 0) index.openDirectory(index.folder).remove(ERASED);
}

/** Replaces what is noted of a place that was left; nothing: nothing is there. Throws as above. */
export function changeLeft(
  index: PublishedFolder,
  { place, family }: Publication,
  by: readonly Publication[],
): void {
  const isOther = (one: Publication) => one.place !== place || one.family !== family;
  writeJson(index, LEFT, [...leftPublications(index).filter(isOther), ...by]);
}

function readJson<T>({ folder, openDirectory }: PublishedFolder, file: string): T | null {
  if (!existsSync(folder)) return null;
  const directory = openDirectory(folder);
  if (!directory.list().includes(file)) return null;
  const text = Buffer.from(directory.read(file)).toString();
  try {
    return JSON.parse(text) as T;
  } catch {
    throw corrupt(`${folder}/${file}`, 'it is not JSON');
  }
}

/** Notes it durably. Throws io_error, disk_full. */
export const writePublication = (index: PublishedFolder, publication: Publication): void =>
  writeJson(index, FILE, publication);

function writeJson({ folder, openDirectory }: PublishedFolder, file: string, value: object): void {
  const directory = openDirectory(folder);
  if (directory.list().includes(DRAFT)) directory.remove(DRAFT);
  writeFile(directory, DRAFT, (writer) => writer.write(Buffer.from(JSON.stringify(value))));
  directory.rename(DRAFT, file);
}
