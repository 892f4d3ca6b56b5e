import { LhsError } from '@lakehouse-search/contract';

/** The error for an inverted component that is damaged. */
export function corruptPostings(what: string): LhsError {
  return new LhsError('corrupt_index', `an inverted component is damaged: ${what}`, {
    hint: 'build the index again from its table',
    next: [{ step: 'reindex' }],
  });
}

/**
 * Runs what reads postings by their own addresses. Damaged ones lead out of the arena: the machine
 * stops that, and the index is to blame. Throws corrupt_index.
 */
export function blameIndex<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const stopped = error instanceof RangeError || (error as Error).name === 'RuntimeError';
    throw stopped ? corruptPostings('its postings lead out of it') : error;
  }
}
