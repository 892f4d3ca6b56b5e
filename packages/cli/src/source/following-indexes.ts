import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { nextCommand, nextSync } from '../terminal/errors/next-step.ts';

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

/** The command after which an index has the rows of its table, of which columns were replaced. */
export function nextAfter(description: IndexDescription, replaced: readonly string[] = []): string {
  const { index, key, fields, variants } = description;
  const columns = [
    ...[...key.partition, ...key.identifier],
    ...fields.flatMap(({ source }) => source),
    ...variants.map(({ column }) => column),
  ];
  return columns.some((name) => replaced.includes(name))
    ? nextCommand({ step: 'reindex', index })
    : nextSync(description);
}
