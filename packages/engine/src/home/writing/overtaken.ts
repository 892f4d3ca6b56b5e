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

/** The error of an index whose name another one has in a place. */
export const takenThere = (index: string, place: string): LhsError =>
  new LhsError('already_exists', `"${place}" has another index "${index}"`, {
    hint: 'to go on with it, use its definition; else choose another name or storage',
    details: { place },
  });
