import { LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';

/** The query of a command as a flag; also its last argument. */
export const queryFlag = Flags.string({
  char: 'q',
  description: 'query, as the argument',
  helpValue: 'QUERY',
});

interface Queried {
  readonly query?: string | undefined;
}

/** The query of the argument or the flag. Throws invalid_argument if there are both. */
export function onlyQuery(args: Queried, flags: Queried): string | undefined {
  if (args.query === undefined || flags.query === undefined) return args.query ?? flags.query;
  const message = `the query "${args.query}" and --query cannot be combined`;
  throw new LhsError('invalid_argument', message, { hint: 'join the two by AND or OR' });
}
