import { analyzeToTokens } from '../../analysis/tokens.ts';
import { findField, type QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { leavesOf, textLeaves } from './guesser.ts';

/** Signs that people search; punctuation is dropped without a word. */
const SIGN = /\p{So}/u;

/** Why a clause such as `🎉` finds nothing: the TEXT fields have no words of it. */
export function noWords(node: Query, fields: QueryFields): string | undefined {
  const leaves = textLeaves(node);
  if (leaves.length === 0 || leaves.length < leavesOf(node).length) return undefined;
  const { value } = leaves[0];
  if (!SIGN.test(value)) return undefined;
  const analyzers = leaves.flatMap(({ field, value: text }) => {
    const inverted = findField(fields, field)?.plan.inverted;
    return inverted?.kind === 'text' ? [{ analyzer: inverted.analyzer, text }] : [];
  });
  const isEmpty = analyzers.every((one) => analyzeToTokens(one.analyzer, one.text).length === 0);
  if (analyzers.length === 0 || !isEmpty) return undefined;
  return `no word in "${value}": a TEXT field with "analyzer: whitespace" finds it between blanks`;
}
