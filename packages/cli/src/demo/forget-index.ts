import { rm } from 'node:fs/promises';
import { type Backend, LhsError } from '@lakehouse-search/engine';

/** Removes what an earlier demo left: its index, and its table's folder. */
export async function forgetDemo(backend: Backend, index: string, folder: string): Promise<void> {
  try {
    await backend.dropIndex({ index });
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'index_not_found') throw error;
  }
  await rm(folder, { recursive: true, force: true });
}
