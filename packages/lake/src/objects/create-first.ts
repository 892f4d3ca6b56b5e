import { LakeError } from '../base/errors.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Creates the object of a place on which writers will compete; false if it exists. A store that
 * ignores the condition would let them overwrite each other: a second write has to be refused, else
 * unsupported is thrown. `path` is for messages; `text` may get a line feed more.
 */
export async function createFirst(
  store: ObjectStore,
  key: string,
  text: string,
  { path, signal }: { readonly path: string; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const create = (content: string) =>
    store.put(key, Buffer.from(content), { condition: 'absent', signal });
  if ((await create(text)) === 'refused') return false;
  if ((await create(`${text}\n`)) === 'refused') return true;
  await store.delete([key], signal).catch(() => undefined);
  throw new LakeError(
    'unsupported',
    `"${path}" lies on a store that ignores "If-None-Match: *": writers would overwrite each other`,
    { file: path },
  );
}
