/** Queries in plain words: `opened after 2025-03-01`, `not resolved`, `rock but not jazz`. */
import type { SearchRequest } from '@lakehouse-search/contract';
import {
  fieldNamed,
  hasValues,
  onlyFieldWith,
  type QueryFields,
  visiblePlans,
} from '../../../query/bind/fields.ts';
import { escapeField } from '../../../query/syntax/characters.ts';
import { parseQuery } from '../../../query/syntax/parse.ts';
import type { FieldPlan } from '../../../schema/field-plan.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import type { SearchContext } from '../../context.ts';
import { fieldRange } from '../field-range.ts';
import { type Reasoned, totalWith } from '../meant-queries.ts';
import { plainNumber } from '../written-number.ts';

/** The signs of words between a name and a value. */
const SIGNS: readonly (readonly [words: string, sign: string])[] = [
  ['after|later than|over|above|(?:more|greater|higher) than', '>'],
  ['since|at least|from', '>='],
  ['before|earlier than|under|below|(?:less|fewer|lower) than', '<'],
  ['until|at most|up to', '<='],
  ['in|during|on', ''],
];
const DATE = /^\d{4}(?:-\d\d){0,2}$/;
const COMPARISONS = SIGNS.map(
  ([words, sign]) =>
    [
      new RegExp(`^(?:(.*?)\\s+)??(?:(?:is|was|are|were)\\s+)?(?:${words})\\s+(\\S+)$`, 'i'),
      sign,
    ] as const,
);
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*`;
const WITHOUT = new RegExp(
  `^(${WORD}(?: +${WORD})*?)(,? +but +not|, *not| +not) +(${WORD}|"[^"]+")$`,
  'u',
);

/** The query that one in plain words means, or why it finds nothing; undefined: it is none. */
export async function inPlainWords(
  context: SearchContext,
  request: SearchRequest,
): Promise<Reasoned | { readonly notes: readonly string[] } | undefined> {
  const text = (request.query ?? '').trim();
  const fields = queryFields(context.mapping);
  const countOf = async (query: string) => (await totalWith(context, request, 'query', query)) ?? 0;
  const queries = [falseClause(text, fields), await without(text, countOf)];
  const comparisons = await compared(text, fields, countOf);
  let best: Reasoned | undefined;
  for (const query of [...queries.flat(), ...comparisons]) {
    const total = query === undefined ? 0 : await countOf(query);
    if (query !== undefined && total > (best?.total ?? 0))
      best = { why: `"${text}" is searched as words`, query, total };
  }
  if (best !== undefined || comparisons.length !== 1) return best;
  const [query] = comparisons;
  const range = await fieldRange(context, parseQuery(query));
  return range === undefined ? undefined : { notes: [`${query} finds nothing: ${range}`] };
}

type CountOf = (query: string) => Promise<number>;

/** `not resolved`, of a field that is true or false. */
function falseClause(text: string, fields: QueryFields): string | undefined {
  const [, name] = /^(?:is +)?not +(.+)$/.exec(text) ?? [];
  const field = name === undefined ? undefined : fieldNamed(fields, name);
  const isBool = field !== undefined && fields.plans.get(field)?.type === 'BOOL';
  return isBool ? `${escapeField(field)}:false` : undefined;
}

/** `rock but not jazz`; `not` alone before a word may be part of the texts. */
async function without(text: string, countOf: CountOf): Promise<string | undefined> {
  const [, words, not = '', word] = WITHOUT.exec(text) ?? [];
  if (words === undefined || /(?:^| )(?:and|or|AND|OR|NOT|but)$/.test(words)) return undefined;
  const isText = /^ +not$/.test(not) && (await countOf(`"not ${word.replaceAll('"', '')}"`)) > 0;
  return isText ? undefined : `${words} -${word}`;
}

/** `opened after 2025-03-01`, `total over 20`; without a name, or behind one word of no row, a date. */
async function compared(
  text: string,
  fields: QueryFields,
  countOf: CountOf,
): Promise<readonly string[]> {
  for (const [pattern, sign] of COMPARISONS) {
    const [all, name, written = ''] = pattern.exec(text) ?? [];
    if (all === undefined) continue;
    const field = name && (fieldNamed(fields, name) ?? onlyFieldWith(fields, name));
    const isFree = !name || (/^\S+$/.test(name) && (await countOf(name)) === 0);
    const isAny = field === undefined && isFree && DATE.test(written);
    const plans = visiblePlans(fields).filter((plan) =>
      isAny ? plan.type === 'DATE' : plan.name === field,
    );
    return plans.flatMap((plan) => {
      const value = hasValues(fields, plan) ? valueFor(plan, written) : undefined;
      return value === undefined ? [] : `${escapeField(plan.name)}:${sign}${value}`;
    });
  }
  return [];
}

/** A value as the type of a field has it. */
function valueFor({ type }: FieldPlan, text: string): string | undefined {
  if (type === 'DATE') return DATE.test(text) ? text : undefined;
  return type === 'LONG' || type === 'DOUBLE' ? plainNumber(text) : undefined;
}
