import { LhsError } from '@lakehouse-search/contract';
import type { Query } from '../../query/query.ts';

/** What a query finds; undefined: it does not fit the index. */
export async function countIfValid(
  count: (query: Query) => Promise<number>,
  query: Query,
): Promise<number | undefined> {
  try {
    return await count(query);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'invalid_query') return undefined;
    throw error;
  }
}
