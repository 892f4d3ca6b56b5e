import { LhsError } from '@lakehouse-search/contract';

/** The result of a read; null if the object is damaged or removed meanwhile. */
export async function ifSound<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LhsError && /^(corrupt_index|index_busy)$/.test(error.code)) return null;
    throw error;
  }
}
