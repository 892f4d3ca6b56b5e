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
import { countIfValid } from './count-if-valid.ts';
import { datedQuery } from './dates/dated-query.ts';
import { TRIED_FIELDS } from './guesser.ts';
import {
  type Counted,
  countedOrError,
  matchTotal,
  TEXTS,
  totalWith,
  withTotal,
} from './meant-queries.ts';
import { pathNamed } from './missing-path.ts';
import { asAddresses, asValue, doubleQuoted, pastedQueries } from './pasted-text.ts';
import { unknownClauses, withPhrases } from './side-by-side.ts';
import { stricter } from './stricter.ts';
import { suggestionFor } from './suggested-query.ts';
import { fieldsOfWords } from './together/in-fields.ts';
import { type WrittenRequest, writtenRequest } from './written/written-request.ts';
import { withFractions } from './written-number.ts';

const MEANT = 'perhaps you mean ';

/** The text of a request that an error is about. */
interface WrongText {
  readonly context: SearchContext;
  readonly request: SearchRequest;
  readonly part: (typeof TEXTS)[number];
  /** What the error suggests, else the text. */
  readonly written: string;
}

/** The error, with the total of the query that is its way out. */
export async function countedError(
  context: SearchContext,
  { request }: CheckedRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof LhsError) || error.hint === undefined) return error;
  const { place, details } = error;
  const asked = request.query === place?.text ? await writtenRequest(context, request) : undefined;
  if (asked !== undefined) return withRequest(asked, error);
  const { suggested_query: meant } = details;
  const part = TEXTS.find((name) => request[name] === place?.text);
  const text = part && request[part];
  if (part === undefined || typeof text !== 'string') return error;
  const wrong = { context, request, part, written: typeof meant === 'string' ? meant : text };
  const dated = await datedQuery(context, request, part);
  const suggested = dated ? undefined : await withSuggestion(wrong, error);
  if (suggested !== undefined) return suggested;
  const found = dated ? [dated] : await meantByUnknown(wrong);
  if (found.length > 0 || typeof meant !== 'string') return withMeant(found, error);
  const own = await countedOrError(context, request, part, meant);
  return own instanceof LhsError ? withReason(own, error) : withMeant([own], error);
}

/** The error with the request that its query is written as. */
function withRequest({ how, ...counted }: WrittenRequest, error: LhsError): LhsError {
  if (how === undefined) return withMeant([counted], error);
  const { code, message, place } = error;
  return new LhsError(code, message, {
    ...{ hint: withTotal(MEANT + how, counted.total), place, cause: error },
  });
}

/** The error with the error of what it suggests in the place of the suggestion. */
function withReason({ message }: LhsError, error: LhsError): LhsError {
  const { code, hint = '', next, place, details } = error;
  const { suggested_query, ...rest } = details;
  const fails = `${suggested_query} fails: ${message}`;
  const said = hint.replace(MEANT + suggested_query, () => fails);
  return new LhsError(code, error.message, {
    ...{ hint: said, next, place, details: rest, cause: error },
  });
}

/** The error with the total of what it suggests, behind a stricter query that has hits, too. */
async function withSuggestion(wrong: WrongText, error: LhsError): Promise<LhsError | undefined> {
  const { context, request, part } = wrong;
  const { code, message, hint = '', place, details } = error;
  if (details.suggested_query !== wrong.written) return undefined;
  const written = (await asFractions(wrong)) ?? wrong.written;
  const total = await totalWith(context, request, part, written);
  if (total === undefined) return undefined;
  const better = part === 'query' ? await stricter(context, request, written) : undefined;
  const queries = better ? `${withTotal(better.query, better.total)} or ${written}` : written;
  const said = hint.replace(MEANT + wrong.written, () => MEANT + queries);
  const suggested = { ...details, ...suggestedAs(better ?? { query: written, total }) };
  const advice = { hint: withTotal(said, total), place, details: suggested };
  return new LhsError(code, message, { ...advice, cause: error });
}

const suggestedAs = ({ query, total }: Counted) => {
  return { suggested_query: query, suggested_total: total };
};

/** The error with the queries that were probably meant. */
function withMeant(found: readonly Counted[], error: LhsError): LhsError {
  const [first] = found;
  if (first === undefined) return error;
  const { code, message, hint = '', next, place, details } = error;
  const queries = found.map(({ query, total }) => withTotal(query, total)).join(' or ');
  const rest = hint.split('\n').filter((line) => !/^did you mean |perhaps you mean /.test(line));
  const advice = { hint: [MEANT + queries, ...rest].join('\n'), next, place };
  const suggested = { ...details, ...suggestedAs(first) };
  return new LhsError(code, message, { ...advice, details: suggested, cause: error });
}

/** The text with fractions for percentages, if it finds rows and the numbers alone find none. */
async function asFractions(wrong: WrongText): Promise<string | undefined> {
  const { context, request, part, written } = wrong;
  const text = `${request[part]}`;
  const query = withFractions(text);
  if (query === text || (await totalWith(context, request, part, written))) return undefined;
  return (await totalWith(context, request, part, query)) ? query : undefined;
}

/** The queries that clauses of unknown fields may have meant, the likeliest first. */
async function meantByUnknown(wrong: WrongText): Promise<readonly Counted[]> {
  const { context, request, part } = wrong;
  const { unknown, named, whole, path, only, all } = await candidates(wrong);
  const found: Counted[] = [];
  for (const query of new Set(all)) {
    const total = await totalWith(context, request, part, query);
    if (total === undefined) continue;
    const hasNames = named.includes(query);
    const better =
      hasNames && part === 'query' ? await stricter(context, request, query) : undefined;
    if (total > 0 || hasNames) found.push(better ?? { query, total });
  }
  const isRange = unknown.some(({ kind }) => kind === 'range');
  const [best, ...others] = found.filter(({ total }) => total > 0);
  if (best !== undefined)
    return isRange ? [best, ...others.filter(({ query }) => named.includes(query))] : [best];
  const holder = await only();
  const total = holder && (await totalWith(context, request, part, holder));
  if (holder && total) return [{ query: holder, total }];
  for (const query of part === 'query' ? [...named, whole ?? []].flat() : []) {
    const meant = await suggestionFor(context, request, query);
    if (meant) return [meant];
  }
  return isRange || path !== undefined ? found.slice(0, 1) : [];
}

/** Other readings of clauses of unknown fields: another name, a whole value, words of a text. */
async function candidates({ context, request, part, written }: WrongText) {
  const fields = queryFields(context.mapping);
  const unknownIn = (text: string) =>
    unknownClauses(context.mapping, { ...request, [part]: text }, part);
  const text = unknownIn(written).length > 0 ? written : (asClauses(written, fields) ?? written);
  const unknown = unknownIn(text);
  const fan = new FanOut(context.shards);
  const count = (node: Query) => matchTotal(context, { ast: writeTree(node) });
  const guesser = { context, fan, count };
  const path = await withNames(text, unknown, ({ field }) => pathNamed(guesser, field));
  const near = [0, 1, 2].map((i) =>
    withNames(text, unknown, async (leaf) => nearNames(leaf, fields)[i]),
  );
  const fullest = await withNames(text, unknown, (leaf) => fullestField(leaf, fields, count));
  const named = [path, fullest, ...(await Promise.all(near))].flatMap((query) =>
    query === undefined ? [] : (doubleQuoted(query) ?? query),
  );
  // a name in another case is no word of a text
  const isNamed =
    unknown.length > 0 && unknown.every((one) => 'field' in one && fieldNamed(fields, one.field));
  const pasted = isNamed ? [] : (pastedQueries(written, written, [], fields) ?? []);
  const [whole = isNamed ? undefined : asValue(written), ...words] = pasted;
  const texts = [...words, isNamed ? undefined : withPhrases(text, unknown)];
  const all = [whole, ...named, ...asAddresses(text, unknown, fields), ...texts];
  const only = () => withNames(text, unknown, (leaf) => onlyField(leaf, context, count));
  return { unknown, named, whole, path, only, all: all.filter((query) => query !== undefined) };
}

/** Of several fields with a name in theirs, such as `name`, the one in which a clause has most rows. */
async function fullestField(
  leaf: Named,
  { plans }: QueryFields,
  count: (query: Query) => Promise<number>,
): Promise<string | undefined> {
  const part = leaf.field.toLowerCase();
  const isLike = (name: string) => !name.includes('#') && name.toLowerCase().includes(part);
  const names = leaf.kind === 'range' || part.length < 3 ? [] : [...plans.keys()].filter(isLike);
  let best: { readonly field: string; readonly total: number } | undefined;
  for (const field of names.length < 2 ? [] : names.slice(0, TRIED_FIELDS)) {
    const total = (await countIfValid(count, { ...leaf, field })) ?? 0;
    if (total > (best?.total ?? 0)) best = { field, total };
  }
  return best?.field;
}

/** The only field in which a clause has rows; undefined: there are none, or several. */
async function onlyField(
  leaf: Named,
  context: SearchContext,
  count: (query: Query) => Promise<number>,
): Promise<string | undefined> {
  const plans = leaf.kind === 'term' || leaf.kind === 'phrase' ? fieldsOfWords(context) : [];
  const found: string[] = [];
  for (const { name } of plans.slice(0, TRIED_FIELDS))
    if (await countIfValid(count, { ...leaf, field: name })) found.push(name);
  return found.length === 1 ? found[0] : undefined;
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
