/** Values that have the word of a clause with hits in them, or are equal to it. */
import type { ClauseElsewhere } from '@lakehouse-search/contract';
import { ENGLISH_STOP_WORDS } from '../../analysis/language/languages.ts';
import { hasValues, type QueryFields, visiblePlans } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { type Guesser, isBare, isValued, leavesOf, TRIED_FIELDS, type Valued } from './guesser.ts';
import { type Best, bestGuess, inside, isInside, PLAIN, SHOWN_FIELDS } from './meant.ts';

/** Terms of a field whose values are searched for a word that has hits already. */
const MAX_TERMS = 10_000;

/** Whether values may have the bare word of a node in them, or be it. */
export const mayBeValue = (node: Query, fields: QueryFields): boolean =>
  leavesOf(node).some(isLongNumber) || inValues(node, fields).length > 0;

/** The words of a node that values of its fields may have in them; a TEXT field finds them itself. */
function inValues(node: Query, { plans, exact }: QueryFields): readonly Valued[] {
  const copies = new Set(exact?.values());
  return leavesOf(node).filter((leaf): leaf is Valued => {
    if (!isValued(leaf) || !isBare(leaf) || copies.has(leaf.field)) return false;
    if (ENGLISH_STOP_WORDS.includes(leaf.value.toLowerCase())) return false;
    return plans.get(leaf.field)?.inverted?.kind === 'keyword' && isInside(leaf);
  });
}

/** A year or another number that is rarely part of a text. */
const isLongNumber = (node: Query): node is Valued =>
  node.kind === 'term' && isBare(node) && /^\d{4,19}$/.test(node.value);

/** A search with more hits has found what was meant. */
export const FEW = 10;

/** Whether the value of a field that bare words do not search may be a bare word. */
export const mayBeCode = (node: Query, fields: QueryFields): boolean =>
  asCodes(node, fields).length > 0;

/** A bare word as the whole value of the other fields that have whole values. */
function asCodes(node: Query, fields: QueryFields): readonly Valued[] {
  const leaves = leavesOf(node).filter(isValued);
  const [leaf] = leaves;
  if (leaf?.kind !== 'term' || !isBare(leaf)) return [];
  const others = new Set([...leaves.map(({ field }) => field), ...(fields.exact?.values() ?? [])]);
  return visiblePlans(fields)
    .filter(({ name, inverted }) => inverted?.kind === 'keyword' && !others.has(name))
    .map(({ name }) => ({ ...leaf, field: name, fieldSpan: leaf.span }))
    .slice(0, TRIED_FIELDS);
}

/** Clauses of values with a bare word in them, or equal to it, that find more rows than the word. */
export async function moreInValues(
  guesser: Guesser,
  node: Query,
  total: number,
): Promise<readonly ClauseElsewhere[]> {
  const fields = queryFields(guesser.context.mapping);
  const bounded = { ...guesser, maxTerms: MAX_TERMS };
  const found: (Best | undefined)[] = [];
  for (const leaf of inValues(node, fields))
    found.push(await bestGuess(bounded, [{ ...leaf, fieldSpan: leaf.span }], inside));
  for (const number of leavesOf(node).filter(isLongNumber).slice(0, 1))
    found.push(...(await equalTo(guesser, number)));
  const more = found.filter((one) => one !== undefined && one.total > total);
  for (const code of total > FEW ? [] : asCodes(node, fields))
    more.push(await bestGuess(guesser, [code], async () => [code]));
  return more
    .flatMap((one) => (one === undefined ? [] : [{ clause: one.clause, total: one.total }]))
    .toSorted((a, b) => b.total - a.total)
    .slice(0, SHOWN_FIELDS);
}

/** A number as a value of each field of numbers or dates. */
async function equalTo(guesser: Guesser, { value, span }: Valued): Promise<(Best | undefined)[]> {
  const fields = queryFields(guesser.context.mapping);
  const found: (Best | undefined)[] = [];
  for (const plan of fields.plans.values()) {
    const { name: field, type } = plan;
    if (found.length >= TRIED_FIELDS || !PLAIN[type]?.test(value) || !hasValues(fields, plan))
      continue;
    const there: Valued = { kind: 'term', field, value, fieldSpan: span };
    found.push(await bestGuess(guesser, [there], async () => [there]));
  }
  return found;
}
