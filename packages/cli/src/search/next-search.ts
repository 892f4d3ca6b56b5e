import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The next command: a search by words, or of all rows where words have no field to look in. */
export function nextOf(description: IndexDescription): string {
  const { index, status, default_fields: searched, vector_fields: vectors } = description;
  if (status === 'created') return `lhs index reindex ${index}`;
  if (vectors.some(({ model }) => model !== null)) {
    return `lhs search ${index} 'some words' --mode hybrid`;
  }
  return `lhs search ${index} ${searched.length > 0 ? "'some words'" : "'*:*'"}`;
}

/** The search of an index that was built; a caller may build an index and not describe it. */
export async function nextSearch(backend: BackendApi, index: string): Promise<string> {
  try {
    return nextOf(await backend.describeIndex({ index }));
  } catch (error) {
    if (error instanceof LhsError && error.code === 'permission_denied') {
      return `lhs search ${index} 'some words'`;
    }
    throw error;
  }
}
