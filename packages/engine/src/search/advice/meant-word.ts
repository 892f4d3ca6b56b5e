import { withCommas } from '@lakehouse-search/contract/internal';
import { findField, type QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { type Guesser, isBare, leavesOf, type Valued } from './guesser.ts';
import { clauseText } from './meant.ts';

/** A clause that finds more than another, and why. */
export interface MeantWord {
  readonly clause: string;
  readonly total: number;
  readonly note: string;
}

/**
 * The word of a pattern such as `certificate*` if it finds more than the pattern: the terms of
 * fields with stems are no whole words, and patterns are compared with the terms.
 */
export async function meantWord(
  guesser: Guesser,
  node: Query,
  written: string,
  total: number,
): Promise<MeantWord | undefined> {
  const leaves = leavesOf(node);
  if (!isOfStems(leaves, queryFields(guesser.context.mapping))) return undefined;
  const should = leaves.flatMap((leaf) => asWord(leaf) ?? []);
  const clause = clauseText(should[0], isBare(leaves[0]));
  const found = await guesser.count({ kind: 'bool', must: [], should, must_not: [], filter: [] });
  if (clause === undefined || found <= total) return undefined;
  const stems = 'patterns are compared with stems of words';
  return {
    clause,
    total: found,
    note: `${stems}: ${written} finds ${withCommas(total)}, ${clause} ${withCommas(found)}`,
  };
}

/** Whether the clauses of one place in a query are patterns, one of them of a field with stems. */
export const isOfStems = (leaves: readonly Query[], fields: QueryFields): boolean =>
  leaves.every((leaf) => asWord(leaf) !== undefined) &&
  leaves.some((leaf) => {
    const inverted = 'field' in leaf ? findField(fields, leaf.field)?.plan.inverted : null;
    return inverted?.kind === 'text' && inverted.analyzer.isStemmed === true;
  });

/** The word that a pattern begins or holds; undefined: it has none, or it is no pattern. */
function asWord(node: Query): Valued | undefined {
  if (node.kind !== 'prefix' && node.kind !== 'wildcard') return undefined;
  const value = node.value.replace(/^[*?]+|[*?]+$/g, '');
  const { field } = node;
  return /^[\p{L}\p{M}\p{N}]{2,}$/u.test(value) ? { kind: 'term', field, value } : undefined;
}
