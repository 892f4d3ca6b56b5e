import { LhsError } from '@lakehouse-search/contract';

const OVERTAKEN = new WeakSet<object>();

/** The error of work on an index that another process has committed in a place. */
export function committedElsewhere(index: string, place: string, why: string): LhsError {
  const what = `"${index}" was committed in "${place}" by another process`;
  const hint = 'wait for it to end, then try again';
  return new LhsError('index_busy', `${what}: ${why}`, { hint, details: { place } });
}

/** The error of a commit that came after another one. */
export function overtaken(index: string, place: string): LhsError {
  const error = committedElsewhere(index, place, 'the work is to be done again');
  OVERTAKEN.add(error);
  return error;
}

/** Whether a commit was refused because another one came first. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Error && OVERTAKEN.has(error);
