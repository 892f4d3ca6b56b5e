import type { IndexDescription } from '@lakehouse-search/contract';
import {
  type Argument,
  textArgument,
  textOrTextsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';

/** Tokens of a response, about. */
const TOKENS = { least: 500, standard: 4000, most: 50_000 };

/** The argument that disappears if one index alone is served. */
export const INDEX: Argument = textArgument('index to read');

/** Indexes of one call. */
const INDEXES_OF_CALL = 20;

/** The same, of a tool that reads several indexes in a call. */
export const INDEXES: Argument = textOrTextsArgument(INDEXES_OF_CALL, 'index to read, or several');

/** What names one or several indexes: an array, or a text with commas. */
export type IndexNames = string | readonly string[];

/** The budget of a response. */
export const MAX_TOKENS: Argument = wholeArgument(
  TOKENS.least,
  TOKENS.most,
  TOKENS.standard,
  'tokens of the response, at most',
);

/** The place where a call goes on. */
export const CURSOR: Argument = textArgument(
  'continuation of the last response, to the same arguments',
);

/** What every tool with a budget has. */
export interface Budgeted {
  readonly max_tokens?: number;
  readonly cursor?: string;
}

/** Tokens that a response may have, in both of its forms together. */
export const tokensFor = ({ max_tokens = TOKENS.standard }: Budgeted): number => max_tokens;

/** The line of a text that says how to go on. */
export const moreLines = (continuation: unknown, what = 'more'): readonly string[] =>
  continuation === undefined ? [] : [`${what}: cursor ${continuation}`];

/** The index that a call names, or the only one. Throws index_not_found, invalid_argument. */
export function indexOfCall(
  index: string | undefined,
  { backend, call }: AgentContext,
): Promise<IndexDescription> {
  return backend.indexes.describe(index === undefined ? {} : { index }, call);
}

/** The indexes that a call names, each once. Throws as `indexOfCall` does. */
export function indexesOfCall(
  names: IndexNames | undefined,
  context: AgentContext,
): Promise<readonly IndexDescription[]> {
  const all = (typeof names === 'string' ? names.split(',') : (names ?? []))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const each: readonly (string | undefined)[] = all.length === 0 ? [undefined] : [...new Set(all)];
  return Promise.all(each.map((name) => indexOfCall(name, context)));
}
