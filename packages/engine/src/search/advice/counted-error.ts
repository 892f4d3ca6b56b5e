/** What a query with fields that the index lacks was probably meant as, with its total. */
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import type { CheckedRequest } from '@lakehouse-search/contract/internal';
import { isTextRange } from '../../query/bind/bounds.ts';
import { type Correction, meantQuery } from '../../query/bind/correction.ts';
import { fieldNamed, nearestFieldNames, type QueryFields } from '../../query/bind/fields.ts';
import { asClauses } from '../../query/bind/unknown-condition.ts';
import type { Query } from '../../query/query.ts';
import { escapeField } from '../../query/syntax/characters.ts';
import { writeTree } from '../../query/tree/write.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { datedQuery } from './dates/dated-query.ts';
import { type Counted, matchTotal, TEXTS, totalWith, withTotal } from './meant-queries.ts';
import { pathNamed } from './missing-path.ts';
import { asAddresses, asValue, doubleQuoted, pastedQueries } from './pasted-text.ts';
import { unknownClauses, withPhrases } from './side-by-side.ts';
import { stricter } from './stricter.ts';
import { suggestionFor } from './suggested-query.ts';

const MEANT = 'perhaps you mean ';

/** The error, with the total of the query that is its way out. */
export async function countedError(
  context: SearchContext,
  { request }: CheckedRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof LhsError) || error.hint === undefined) return error;
  const { code, message, hint, next, place, details } = error;
  const { suggested_query: meant } = details;
  const part = TEXTS.find((name) => request[name] === place?.text);
  const text = part && request[part];
  if (part === undefined || typeof text !== 'string') return error;
  const dated = await datedQuery(context, request, part);
  const written = typeof meant === 'string' ? meant : text;
  const total =
    dated || written !== meant ? undefined : await totalWith(context, request, part, written);
  if (total !== undefined) {
    const better = part === 'query' ? await stricter(context, request, written) : undefined;
    const [first, query] = better ? [withTotal(better.query, better.total), better.query] : [];
    const said = first
      ? hint.replace(MEANT + written, () => `${MEANT}${first} or ${written}`)
      : hint;
    const suggested = { ...details, suggested_query: query ?? written };
    const advice = { hint: withTotal(said, total), place, details: suggested };
    return new LhsError(code, message, { ...advice, cause: error });
  }
  const found = dated
    ? [dated]
    : await meantByUnknown(context, { ...request, [part]: written }, part, written);
  const [first] = found;
  if (first === undefined) return error;
  const queries = found.map(({ query, total }) => withTotal(query, total)).join(' or ');
  const rest = hint.split('\n').filter((line) => !/^did you mean |perhaps you mean /.test(line));
  const advice = { hint: [`perhaps you mean ${queries}`, ...rest].join('\n'), next, place };
  const suggested = { ...details, suggested_query: first.query };
  return new LhsError(code, message, { ...advice, details: suggested, cause: error });
}

/** The queries that clauses of unknown fields may have meant, the likeliest first. */
async function meantByUnknown(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  written: string,
): Promise<readonly Counted[]> {
  const fields = queryFields(context.mapping);
  const direct = unknownClauses(context.mapping, request, part);
  const text = direct.length > 0 ? written : (asClauses(written, fields) ?? written);
  const unknown = unknownClauses(context.mapping, { ...request, [part]: text }, part);
  const fan = new FanOut(context.shards);
  const count = (node: Query) => matchTotal(context, { ast: writeTree(node) });
  const guesser = { context, fan, count };
  const path = await withNames(text, unknown, ({ field }) => pathNamed(guesser, field));
  const near = [0, 1, 2].map((i) =>
    withNames(text, unknown, async (leaf) => nearNames(leaf, fields)[i]),
  );
  const named = [path, ...(await Promise.all(near))].flatMap((query) =>
    query === undefined ? [] : (doubleQuoted(query) ?? query),
  );
  // a name in another case is no word of a text
  const isNamed =
    unknown.length > 0 && unknown.every((one) => 'field' in one && fieldNamed(fields, one.field));
  const pasted = isNamed ? [] : (pastedQueries(written, written, [], fields) ?? []);
  const [whole = isNamed ? undefined : asValue(written), ...words] = pasted;
  const texts = [...words, isNamed ? undefined : withPhrases(text, unknown)];
  const found: Counted[] = [];
  for (const query of new Set([whole, ...named, ...asAddresses(text, unknown, fields), ...texts])) {
    const total = query === undefined ? undefined : await totalWith(context, request, part, query);
    if (query === undefined || total === undefined) continue;
    const hasNames = named.includes(query);
    const better =
      hasNames && part === 'query' ? await stricter(context, request, query) : undefined;
    if (total > 0 || hasNames) found.push(better ?? { query, total });
  }
  const isRange = unknown.some(({ kind }) => kind === 'range');
  const [best, ...others] = found.filter(({ total }) => total > 0);
  if (best !== undefined)
    return isRange ? [best, ...others.filter(({ query }) => named.includes(query))] : [best];
  for (const query of part === 'query' ? [...named, whole ?? []].flat() : []) {
    const meant = await suggestionFor(context, request, query);
    if (meant) return [meant];
  }
  return isRange || path !== undefined ? found.slice(0, 1) : [];
}

/** The nearest fields of a clause; of a range of numbers those that hold numbers, if there are. */
function nearNames(leaf: Named, fields: QueryFields): readonly string[] {
  const near = nearestFieldNames(fields, leaf.field);
  if (leaf.kind !== 'range') return near;
  const plans = new Map(
    [...fields.plans].filter(
      ([field, { type }]) => type !== 'TEXT' && !isTextRange({ ...leaf, field }, fields),
    ),
  );
  const numbers = nearestFieldNames({ ...fields, plans }, leaf.field);
  return numbers.length > 0 ? numbers : near;
}

type Named = Extract<Query, { readonly field: string }>;

/** The query with other names of its unknown fields. */
async function withNames(
  text: string,
  unknown: readonly Query[],
  nameOf: (leaf: Named) => Promise<string | undefined>,
): Promise<string | undefined> {
  const corrections: Correction[] = [];
  for (const leaf of unknown) {
    const name = 'field' in leaf && leaf.fieldSpan && (await nameOf(leaf));
    if (name === undefined) return undefined;
    if (name) corrections.push({ ...leaf.fieldSpan, text: escapeField(name), why: '' });
  }
  return meantQuery(text, corrections)?.query;
}
