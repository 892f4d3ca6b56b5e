import type { IndexDescription } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

const known = new WeakMap<BackendApi, Map<string | undefined, Promise<IndexDescription>>>();

/** The description of an index; a command requests it once, however many parts of it need it. */
export function described(
  backend: BackendApi,
  index: string | undefined,
): Promise<IndexDescription> {
  let own = known.get(backend);
  if (own === undefined) known.set(backend, (own = new Map()));
  let description = own.get(index);
  if (description === undefined) own.set(index, (description = backend.describeIndex({ index })));
  return description;
}
