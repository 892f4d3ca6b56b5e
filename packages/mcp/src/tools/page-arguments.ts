import type { IndexDescription } from '@lakehouse-search/contract';
import { type Argument, textArgument, wholeArgument } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';

/** Tokens of a response, about. */
const TOKENS = { least: 200, standard: 4000, most: 50_000 };

/** The argument that disappears if one index alone is served. */
export const INDEX: Argument = textArgument('name of the index (list_indexes names them)');

/** The budget of a response. */
export const MAX_TOKENS: Argument = wholeArgument(
  TOKENS.least,
  TOKENS.most,
  TOKENS.standard,
  'size of the response in tokens, about: what does not fit is left out and can be continued',
);

/** The place where a call goes on. */
export const CURSOR: Argument = textArgument(
  'continuation of a former response, with otherwise the same arguments',
);

/** What every tool with a budget has. */
export interface Budgeted {
  readonly max_tokens?: number;
  readonly cursor?: string;
}

/** Tokens that a response may have, less some for its frame. */
export const budgetOf = ({ max_tokens: tokens = TOKENS.standard }: Budgeted): number =>
  tokens - FRAME_TOKENS;

/** Tokens of what surrounds the items of a response. */
const FRAME_TOKENS = 100;

/** The index that a call names, or the only one. Throws index_not_found, invalid_argument. */
export function indexOfCall(
  index: string | undefined,
  { backend, call }: AgentContext,
): Promise<IndexDescription> {
  return backend.describeIndex(index === undefined ? {} : { index }, call);
}
