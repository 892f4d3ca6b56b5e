import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { WriteResult } from '@lakehouse-search/lake';
import { nextCommand, nextSync } from '../terminal/errors/next-step.ts';
import { APPLY_NEW, goneColumns, sourceColumns } from './new-definition.ts';

/** The indexes that follow a table whose newest snapshot is `snapshot`; none without a backend. */
export async function followingIndexes(
  open: () => Promise<BackendApi>,
  table: string,
  snapshot: string,
): Promise<readonly IndexDescription[]> {
  try {
    const backend = await open();
    const found: IndexDescription[] = [];
    for (const { name, status, error } of await backend.listIndexes()) {
      if (status !== 'live' || error !== undefined) continue;
      const index = await backend.describeIndex({ index: name });
      if (index.source?.table !== table) continue;
      const { head } = await backend.status({ index: name });
      if (head?.snapshot === snapshot) found.push(index);
    }
    return found;
  } catch (error) {
    if (error instanceof LhsError) return [];
    throw error;
  }
}

/**
 * The commands after which indexes have the rows of their table, of which columns were replaced; an
 * index of a column that is gone needs the definition that `init` writes.
 */
export function nextAfter(
  indexes: readonly IndexDescription[],
  { replaced = [], schema }: Pick<WriteResult, 'replaced' | 'schema'>,
  init: readonly string[],
): readonly string[] {
  const hasAll = (one: IndexDescription) =>
    schema === undefined || goneColumns(one, schema.fields).length === 0;
  const [known, outdated] = [indexes.filter(hasAll), indexes.filter((one) => !hasAll(one))];
  const commands = known.map((one) =>
    sourceColumns(one).some((name) => replaced.includes(name))
      ? nextCommand({ step: 'reindex', index: one.index })
      : nextSync(one),
  );
  const apply = outdated.length === 0 ? [] : [APPLY_NEW];
  return [...commands, ...init, ...apply];
}
