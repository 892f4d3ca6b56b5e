/** Names of a cluster: its indexes and aliases share them. Each function works in a transaction. */
import type { ClusterStore } from '../../store/open-store.ts';

type Names = Pick<ClusterStore, 'definitions' | 'aliases'>;

/** Adds the definition of a new index. False if the name is that of an index or an alias. */
export async function addDefinition(
  { definitions, aliases }: Names,
  index: string,
  definition: string,
): Promise<boolean> {
  await aliases.hold();
  if ((await aliases.list()).some(({ alias }) => alias === index)) return false;
  return definitions.add(index, definition);
}

/** Names that no new alias can have. */
export async function takenNames({ definitions, aliases }: Names): Promise<ReadonlySet<string>> {
  await aliases.hold();
  const indexes = (await definitions.list()).map(({ index }) => index);
  return new Set([...indexes, ...(await aliases.list()).map(({ alias }) => alias)]);
}
