import { LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine';

/**
 * Any error as one that a client may see. What is not an error of the contract becomes `internal`
 * and says nothing of its cause, which may contain paths.
 */
export function publicError(error: unknown): LhsError {
  const known = sourceError(error);
  if (known instanceof LhsError) return known;
  return new LhsError('internal', 'internal error: the log of the service has the cause', {
    cause: error,
  });
}
