/** Errors of operations whose index others have changed. */
import { LhsError } from '@lakehouse-search/contract';

const ALTERED = new WeakSet<object>();

/** The error of an operation that began under a definition which is not in force any more. */
export function alteredMeanwhile(name: string): LhsError {
  const message = `the definition of "${name}" was altered meanwhile`;
  const error = new LhsError('index_busy', message, {
    hint: 'try again: it depends on the definition in force',
    next: [{ step: 'describe_index', index: name }],
  });
  ALTERED.add(error);
  return error;
}

/** Whether an error is one of `alteredMeanwhile`. */
export const isAlteredMeanwhile = (error: unknown): boolean =>
  error instanceof LhsError && ALTERED.has(error);

/** The error of an operation on an index that was dropped after the operation had begun. */
export function wasDropped(name: string): LhsError {
  return new LhsError('index_not_found', `index "${name}" was dropped meanwhile`, {
    hint: 'a new index of that name is another one: try again for it',
    next: [{ step: 'list_indexes' }],
  });
}

/** The error of an operation that goes on while its index gets another name. */
export function wasRenamed(name: string, now: string): LhsError {
  return new LhsError('index_not_found', `index "${name}" was renamed to "${now}"`, {
    hint: 'try again with the new name',
    next: [{ step: 'describe_index', index: now }],
  });
}
