import { LhsError } from '../base/errors.ts';

/** The error for an inverted component that is damaged. */
export function corrupt(what: string): LhsError {
  return new LhsError('corrupt_index', `an inverted component is damaged: ${what}`, {
    hint: 'lhs index reindex builds it again from the table',
  });
}
