import type { LocalOptions } from '@lakehouse-search/engine';

/**
 * Settings of an engine whose data folder is locked for this server: no other process changes it,
 * but for writers that had begun before.
 */
export const SERVED_FOLDER: Pick<LocalOptions, 'lookMs' | 'keepWriterMs'> = Object.freeze({
  lookMs: 20,
  /** So long a connector may take for the next step of a table that is far ahead. */
  keepWriterMs: 2000,
});
