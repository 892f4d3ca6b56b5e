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
  /** Other alternatives of a query that finds the rows of one of them. */
  readonly beside: readonly Query[];
}

/** Whether a clause has words that are written in another way, or that may be a whole value. */
export const hasOtherWords = (node: Query, fields: QueryFields): boolean =>
  leavesOf(node).some((leaf) => {
    if (!isWords(leaf, fields)) return false;
    return otherWritings(leaf, fields).length > 0 || exactField(leaf, fields) !== undefined;
  });

/** Rows that a clause with hits does not find, as they have its words in another writing. */
export async function otherWords(
  guesser: Guesser,
  { node, clause: written, beside }: WrittenClause,
  total: number,
): Promise<string | undefined> {
  const fields = queryFields(guesser.context.mapping);
  const leaves = leavesOf(node).filter((leaf) => isWords(leaf, fields));
  if (leaves.length === 0) return undefined;
  const notes: string[] = [];
  for (const [i, { kind, value }] of otherWritings(leaves[0], fields).entries()) {
    const should = leaves.flatMap((leaf): readonly Valued[] => {
      const other = otherWritings(leaf, fields)[i];
      return other === undefined ? [] : [wordsOf(leaf.field, kind, other.value)];
    });
    const clause = clauseText(wordsOf(leaves[0].field, kind, value), isBare(leaves[0]));
    const more = await guesser.count({
      kind: 'bool',
      must: [],
      filter: [],
      should,
      must_not: [node, ...beside],
    });
    const rows = more === 1 ? 'row' : 'rows';
    if (clause !== undefined && more > 0)
      notes.push(`${clause} finds ${more} more ${rows}: (${written} OR ${clause}) finds both`);
  }
  return notes[0] ?? wholeValues(guesser, leaves[0], written, total);
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
  const words = `${written} finds words: ${found} of its ${total} rows have nothing else there`;
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
 * Other writings of a word: `HTTP3` of `HTTP/3` and the reverse, and the other number of a word
 * whose field has no stems.
 */
function otherWritings({ field, value }: Words, fields: QueryFields): readonly Writing[] {
  const [, first, second] = /^(\p{L}+)(\p{N}+)$/u.exec(value) ?? [];
  if (first !== undefined) return [{ kind: 'phrase', value: `${first} ${second}` }];
  const joined = /^([\p{L}\p{N}]+)[^\p{L}\p{N}\s]([\p{L}\p{N}]+)$/u.exec(value);
  if (joined !== null) return [{ kind: 'term', value: joined[1] + joined[2] }];
  const inverted = findField(fields, field)?.plan.inverted;
  const isStemmed = inverted?.kind === 'text' && inverted.analyzer.isStemmed === true;
  if (isStemmed || !/^\p{Script=Latin}{4,}$/u.test(value)) return [];
  const other = /[^s]s$/i.test(value) ? value.slice(0, -1) : `${value}s`;
  return [{ kind: 'term', value: other }];
}

type Writing = Pick<Words, 'kind' | 'value'>;
