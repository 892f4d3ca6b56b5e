import { withCommas } from '@lakehouse-search/contract/internal';
import { findField, type QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { type Guesser, isBare, leavesOf, type Valued } from './guesser.ts';
import { clauseText } from './meant.ts';

/** A word or phrase of a TEXT field. */
type Words = Extract<Query, { readonly kind: 'term' | 'phrase' }>;

/** A clause of a query. */
export interface WrittenClause {
  readonly node: Query;
  /** As it is written. */
  readonly clause: string;
  /** What the query finds without it, or leaves out. */
  readonly beside: readonly Query[];
  /** What all rows that it adds to the query must match. */
  readonly required: readonly Query[];
}

/** Whether a clause has words that are written in another way, or that may be a whole value. */
export const hasOtherWords = (node: Query, fields: QueryFields): boolean =>
  leavesOf(node).some((leaf) => {
    if (!isWords(leaf, fields)) return false;
    return otherWritings(leaf, fields).length > 0 || exactField(leaf, fields) !== undefined;
  });

/** The other number or the possessive of a word is said if it adds a row to so many. */
const FEW_OF = 10;

/** Rows that the query does not find, as they have the words of a clause in another writing. */
export async function otherWords(
  guesser: Guesser,
  { node, clause: written, beside, required }: WrittenClause,
  total: number,
): Promise<string | undefined> {
  const fields = queryFields(guesser.context.mapping);
  const leaves = leavesOf(node).filter((leaf) => isWords(leaf, fields));
  if (leaves.length === 0) return undefined;
  const writings = otherWritings(leaves[0], fields).map((_, i) =>
    leaves.flatMap((leaf): readonly Valued[] => {
      const other = otherWritings(leaf, fields)[i];
      return other === undefined ? [] : [wordsOf(leaf.field, other.kind, other.value)];
    }),
  );
  const moreOf = async (should: readonly Query[]) => {
    const must_not = [node, ...beside];
    const must: readonly Query[] = [
      { kind: 'bool', must: [], filter: [], should, must_not },
      ...required,
    ];
    return guesser.count({ kind: 'bool', must, filter: [], should: [], must_not: [] });
  };
  const more = writings.length === 0 ? 0 : await moreOf(writings.flat());
  const isFew = writings.length > 1 && more * FEW_OF < total;
  if (more === 0 || isFew) return wholeValues(guesser, leaves[0], written, total);
  const others: (readonly Valued[])[] = [];
  for (const writing of writings) if (await moreOf(writing)) others.push(writing);
  const texts = others.flatMap(([first]) => clauseText(first, isBare(leaves[0])) ?? []);
  const clauses = texts.join(' OR ');
  const rows = more === 1 ? 'row' : 'rows';
  const all = texts.length === 1 ? 'both' : 'all';
  const found = `${withCommas(more)} more ${rows}`;
  return `${clauses} finds ${found}: (${written} OR ${clauses}) finds ${all}`;
}

/** How many of the rows with the words have no others in the field. */
async function wholeValues(
  { context, count }: Guesser,
  leaf: Words,
  written: string,
  total: number,
): Promise<string | undefined> {
  const exact = exactField(leaf, queryFields(context.mapping));
  if (exact === undefined) return undefined;
  const whole = { kind: 'phrase', field: exact, value: leaf.value, slop: 0 } as const;
  const found = await count(whole);
  if (found === 0 || found >= total) return undefined;
  const rows = `${withCommas(found)} of its ${withCommas(total)} rows`;
  const words = `${written} finds words: ${rows} have nothing else there`;
  return `${words} (${clauseText(whole, false)})`;
}

/** The field with the whole values of the one that a clause names. */
function exactField(leaf: Words, fields: QueryFields): string | undefined {
  const target = findField(fields, leaf.field);
  if (target?.kind !== 'field' || isBare(leaf)) return undefined;
  return fields.exact?.get(target.plan.id);
}

function isWords(leaf: Query, fields: QueryFields): leaf is Words {
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase') return false;
  const target = findField(fields, leaf.field);
  return target?.kind === 'field' && target.plan.type === 'TEXT';
}

const wordsOf = (field: string, kind: Words['kind'], value: string): Words =>
  kind === 'term' ? { kind, field, value } : { kind, field, value, slop: 0 };

/**
 * Other writings of a word: `HTTP3` of `HTTP/3` and the reverse, and the other number and the
 * possessive of a word whose field has no stems.
 */
function otherWritings({ field, value }: Words, fields: QueryFields): readonly Writing[] {
  const [, first, second] = /^(\p{L}+)(\p{N}+)$/u.exec(value) ?? [];
  if (first !== undefined) return [{ kind: 'phrase', value: `${first} ${second}` }];
  const joined = /^([\p{L}\p{N}]+)[^\p{L}\p{N}\s]([\p{L}\p{N}]+)$/u.exec(value);
  if (joined !== null && joined[2] !== 's') return [{ kind: 'term', value: joined[1] + joined[2] }];
  const inverted = findField(fields, field)?.plan.inverted;
  const isStemmed = inverted?.kind === 'text' && inverted.analyzer.isStemmed === true;
  const [word] = /^\p{Script=Latin}{4,}(?=(?:'s)?$)/u.exec(value) ?? [];
  if (isStemmed || word === undefined) return [];
  const base = word.replace(/(?<=[^s])s$/i, '');
  const forms = [base, `${base}s`, `${base}'s`].filter((form) => form !== value);
  return forms.map((form) => ({ kind: 'term', value: form }));
}

type Writing = Pick<Words, 'kind' | 'value'>;
