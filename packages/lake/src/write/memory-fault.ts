import { LakeError } from '../base/errors.ts';

/** What DuckDB and the loader of its library say when the system gives no more memory. */
const NO_MEMORY =
  /Allocation failure|bad allocation|bad_alloc|failed to map segment|cannot allocate memory/i;

/**
 * The error of a process that the system gives no more memory, whatever DuckDB's own limit is; any
 * other error as it is.
 */
export function memoryFault(cause: unknown): unknown {
  if (cause instanceof LakeError || !NO_MEMORY.test(String(cause))) return cause;
  const way = 'end other processes, raise the limit of this one, or let it use less memory';
  const message = `the system gives this process no more memory: ${way}`;
  return new LakeError('out_of_memory', message, { cause });
}
