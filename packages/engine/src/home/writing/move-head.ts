import { LhsError } from '@lakehouse-search/contract';
import {
  headKey,
  isDropped,
  readHead,
  removeHead,
  type StoredHead,
  whereMoved,
  writeHead,
} from '../chain.ts';
import type { Home } from '../stored-json.ts';
import { overtaken, takenThere } from './overtaken.ts';
import type { Publication } from './publication.ts';

/** So often other processes may write a name and remove it. */
const ATTEMPTS = 5;

/**
 * Leads the name of an index to a commit of it; a name that it had before is removed. `known`: the
 * head that was read last. Returns the head. Throws already_exists, index_not_found, index_busy.
 */
export async function moveHead(
  home: Home,
  index: string,
  { family: uuid, name: former }: Publication,
  { known, number }: { readonly known: StoredHead | null; readonly number: number },
): Promise<StoredHead> {
  const isRenamed = former !== null && former !== index;
  let head = isRenamed ? await readHead(home, index) : known;
  for (let missing = 0; ; missing++) {
    if (head !== null && head.uuid !== uuid) throw takenThere(index, home.place);
    // commits before a head may be gone: the one that was written now comes too late
    if (head !== null && head.number > number) throw overtaken(index, home.place);
    if (head?.number === number) break;
    const etag = await writeHead(home, index, { uuid, number }, head?.etag ?? null);
    if (etag !== null) {
      head = { uuid, number, etag };
      break;
    }
    head = await readHead(home, index);
    if (head !== null) continue;
    await refuseDropped(home, { index, family: uuid, name: index });
    if (missing === ATTEMPTS) throw refusedThere(home, index);
  }
  if (isRenamed && (await readHead(home, former))?.uuid === uuid) await removeHead(home, former);
  return head;
}

const refusedThere = ({ place }: Home, index: string): LhsError =>
  new LhsError('unsupported', `"${place}/${headKey(index)}" is not there, but cannot be written`, {
    hint: 'some servers refuse names that were deleted in a bucket with versions: choose another',
    details: { place },
  });

/** Throws for an index that was dropped from the store or moved; `name`: that it has there. */
export async function refuseDropped(
  home: Home,
  { index, family, name }: Pick<Publication, 'family' | 'name'> & { readonly index: string },
): Promise<void> {
  if (!(await isDropped(home, family))) return;
  const { place } = home;
  const to = name === null ? null : await whereMoved(home, name);
  const storage = to?.slice(0, to.lastIndexOf('/'));
  const hint =
    storage === undefined
      ? 'drop it here too'
      : `drop it here, then create it with "storage: ${storage}" to go on there`;
  const what = to === null ? `dropped from "${place}"` : `moved from "${place}" to "${to}"`;
  throw new LhsError('index_not_found', `"${name}" was ${what}`, {
    hint,
    next: [{ step: 'drop_index', index }],
    details: { place },
  });
}
