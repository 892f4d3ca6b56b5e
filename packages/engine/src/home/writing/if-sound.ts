import { LhsError } from '@lakehouse-search/contract';

/** What is read; null if an object is damaged, or is removed while it is read. */
export async function ifSound<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LhsError && /^(corrupt_index|index_busy)$/.test(error.code)) return null;
    throw error;
  }
}
