import { LhsError, type SearchRequest, type SearchResponse } from '@lakehouse-search/contract';
import { checkSearchRequest, withCommas } from '@lakehouse-search/contract/internal';
import { meantNote } from '../../query/bind/correction.ts';
import { isTextField } from '../../query/bind/fields.ts';
import { correctionOf } from '../../query/bind/remarks.ts';
import type { Query } from '../../query/query.ts';
import { escapeField, escapeWord, quote } from '../../query/syntax/characters.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { asWritten } from './as-written.ts';
import { type CountedClause, countClauses, isDoubtful, startsOfOr } from './clause-counts.ts';
import { betweenDates } from './dates/between-dates.ts';
import { datedQuery } from './dates/dated-query.ts';
import { fieldRange } from './field-range.ts';
import { listedNumbers } from './listed-numbers.ts';
import { type Counted, type Reasoned, totalWith, withTotal } from './meant-queries.ts';
import { FEW, mayBeCode } from './more-in-values.ts';
import { namedAmong, namedClauses, namedValue } from './named-value.ts';
import { doubleQuoted, pastedValue } from './pasted-text.ts';
import { matchOf, type ReadRequest, readRequest } from './read-request.ts';
import { inEveryClause, stricter, withValuePhrases } from './stricter.ts';
import { allClauses, allWords } from './together/all-words.ts';
import { fieldsOfWords, spreadParts, spreadWords } from './together/in-fields.ts';
import { valuePhrases } from './together/value-phrases.ts';
import { corrected, correctedWords } from './written/corrected.ts';
import { numberAmong } from './written/number-among.ts';
import { inPlainWords } from './written/plain-words.ts';
import { hasMoney, moneyFields, plainNumber } from './written-number.ts';

/** What a search without hits may have meant: its clauses, a query that has hits, remarks. */
interface Suggestions
  extends Pick<SearchResponse, 'clauses' | 'suggested_query' | 'suggested_total'> {
  readonly notes: readonly string[];
}

/** The suggestions for a search without hits. */
export async function suggestions(read: ReadRequest): Promise<Suggestions> {
  const { context } = read;
  const { request } = read.checked;
  const pasted =
    (await asPasted(read, 0)) ??
    (await asNumber(context, request)) ??
    (await asOneWord(context, request));
  if (pasted !== undefined) return pasted;
  const counted = await countClauses(read);
  const found = {
    clauses: counted.map(({ count }) => count),
    notes: counted.flatMap(({ note }) => note ?? []),
  };
  const isAny = request.default_operator !== 'and';
  const suggested_query = (isAny ? correctedWords : corrected)(request.query, counted);
  const all =
    isAny &&
    suggested_query &&
    ((await stricter(context, request, suggested_query)) ??
      (await inEveryClause(context, request, suggested_query)));
  if (all) return { ...found, suggested_query: all.query, suggested_total: all.total };
  const suggested_total =
    suggested_query && (await totalWith(context, request, 'query', suggested_query));
  if (suggested_query && suggested_total) return { ...found, suggested_query, suggested_total };
  const spread = (await spreadWords(read)) ?? (await spreadParts(read));
  return spread === undefined ? found : { ...found, ...meantAs(spread, found.notes) };
}

/** Notes on the clauses of a search with rows that may find others than was meant; `hits`: its page. */
export async function doubts(
  read: ReadRequest,
  { total, hits = [] }: Partial<SearchResponse> & Pick<SearchResponse, 'total'>,
): Promise<Suggestions> {
  const { context } = read;
  const { request } = read.checked;
  const pasted = await asPasted(read, total);
  if (pasted !== undefined) return pasted;
  const fields = queryFields(context.mapping);
  const either = startsOfOr(read.tree);
  const isCounted = (node: Query) =>
    !isOperatorWord(node, request.query) &&
    (isDoubtful(node, fields) ||
      either.has(node.span?.from) ||
      (total <= FEW && mayBeCode(node, fields)));
  try {
    const counted = await countClauses(read, new FanOut(context.shards), isCounted);
    const notes = counted.flatMap(clauseNotes);
    const written = await asWritten(read, total);
    const all = (await allClauses(read, total)) ?? (await allWords(read, hits));
    const { notes: more, ...meant } =
      all === undefined ? await withValues(context, request, total, counted) : meantAs(all);
    return { ...meant, notes: [...notes, ...written, ...more] };
  } catch (error) {
    // the search has its hits: a note that fails must not lose them
    if (error instanceof LhsError) return { notes: [] };
    throw error;
  }
}

/** Whether a clause was probably meant as an operator. */
const isOperatorWord = ({ span }: Query, text = ''): boolean =>
  span !== undefined && /^(?:and|or|not)\s/.test(text.slice(span.from));

/** What a date, value or name of a field finds where a query with `total` rows has it as words. */
async function asPasted(read: ReadRequest, total: number): Promise<Suggestions | undefined> {
  const { context, checked } = read;
  const { request } = checked;
  const { query: text = '' } = request;
  const between = (await betweenDates(context, request)) ?? (await inPlainWords(context, request));
  if (between !== undefined) return 'query' in between ? meantAs(between) : between;
  const dated = await datedQuery(context, request, 'query', total > 0);
  // few rows may have only a number of the date
  if (dated && (dated.total < total || (total <= FEW && dated.total > total)))
    return meantAs(dated);
  const [single, signs] = [doubleQuoted(text), pastedValue(text)];
  const value = single ?? signs;
  const why = single ? 'phrases need double quotes' : `signs of "${text}" are read as query syntax`;
  const found = value && (await totalWith(context, request, 'query', value));
  if (value && found && found !== total) return meantAs({ why, query: value, total: found });
  const near = single && found === 0 ? await suggestionFor(context, request, single) : undefined;
  if (near !== undefined) return meantAs({ why, ...near });
  const named =
    (await asNamedAmong(context, request, total)) ??
    (await asNamed(context, request, total)) ??
    (await wholeValue(read));
  if (named !== undefined) return named;
  const number = await numberAmong(context, request, total);
  if (number !== undefined) return meantAs(number);
  const values = await valuePhrases(read, total);
  return values && meantAs(values);
}

/** What the field finds whose name a query without one begins with. */
async function asNamed(
  context: SearchContext,
  request: SearchRequest,
  total: number,
): Promise<Suggestions | undefined> {
  const fields = queryFields(context.mapping);
  const named = namedValue(request.query ?? '', fields);
  if (named === undefined) return undefined;
  const { name, field } = named;
  // a word of the texts of a field that is its name, too, was probably meant as a word
  const isWord = isTextField(fields, field) && !/\s/.test(name);
  const inField = `${escapeField(field)}:${escapeWord(name)}`;
  if (total > 0 && isWord && (await totalWith(context, request, 'query', inField)))
    return undefined;
  const why = `"${name}" may be the field ${field}`;
  const clauses = await namedClauses(context, named);
  for (const clause of clauses) {
    const found = await totalWith(context, request, 'query', clause);
    const others = `${clause} AND NOT (${request.query})`;
    if (found && (found !== total || (await totalWith(context, request, 'query', others))))
      return meantAs({ why, query: clause, total: found });
    // all rows have the value: the name is no word that finds nothing
    if (found) return { notes: [] };
  }
  if (total > 0 || clauses.length === 0) return undefined;
  const near = await suggestionFor(context, request, clauses[0]);
  if (near !== undefined) return meantAs({ why, ...near });
  const isValue = /\p{N}/u.test(named.value);
  const range = isValue ? await fieldRange(context, parseQuery(clauses[0])) : undefined;
  return range === undefined ? undefined : { notes: [`${why}: ${range}`] };
}

/** What the field finds whose name and value are among other words, with all of these. */
async function asNamedAmong(
  context: SearchContext,
  request: SearchRequest,
  total: number,
): Promise<Suggestions | undefined> {
  const named = namedAmong(request.query ?? '', queryFields(context.mapping));
  if (named === undefined) return undefined;
  for (const clause of await namedClauses(context, named)) {
    const query = [clause, ...named.others.map(escapeWord)].join(' AND ');
    const found = await totalWith(context, request, 'query', query);
    const why = `"${named.name}" may be the field ${named.field}`;
    if (found && found !== total) return meantAs({ why, query, total: found });
  }
  return undefined;
}

/** What a whole value of several words finds, if the words behind the first have no field. */
async function wholeValue(read: ReadRequest): Promise<Suggestions | undefined> {
  const { context, checked, tree } = read;
  const { request } = checked;
  const { query: text = '' } = request;
  const scope = { text, fields: queryFields(context.mapping) };
  if (!/:\S+\s+[^\s:]+(?:\s|$)/.test(text) || correctionOf(tree, scope) !== undefined)
    return undefined;
  const found = await withValuePhrases(context, request, text);
  return found && meantAs({ why: 'values of several words need quotes', ...found });
}

/** What a number or a list of numbers finds as values of fields. */
async function asNumber(
  context: SearchContext,
  request: SearchRequest,
): Promise<Suggestions | undefined> {
  const { query: text = '' } = request;
  const number = plainNumber(text);
  const near =
    number === undefined || number === text
      ? undefined
      : ((await asAmount(context, request, number)) ??
        (await suggestionFor(context, request, number)));
  if (near !== undefined) return meantAs({ why: `"${text}" is the number ${number}`, ...near });
  const listed = await listedNumbers(context, request);
  return listed && meantAs({ why: 'the numbers may be values of several fields', ...listed });
}

/** What a number with a sign of money finds in the field of money that has it most. */
async function asAmount(
  context: SearchContext,
  request: SearchRequest,
  number: string,
): Promise<Counted | undefined> {
  const names = hasMoney(request.query ?? '') ? moneyFields(fieldsOfWords(context)) : [];
  const found: Counted[] = [];
  for (const name of names) {
    const query = `${escapeField(name)}:${number}`;
    const total = await totalWith(context, request, 'query', query);
    if (total) found.push({ query, total });
  }
  return found.toSorted((a, b) => b.total - a.total)[0];
}

/** What a query without hits was meant as, with its total; undefined: it is not known. */
export async function suggestionFor(
  context: SearchContext,
  request: SearchRequest,
  query: string,
): Promise<Counted | undefined> {
  try {
    const match = checkSearchRequest({ ...matchOf(request), query });
    const { suggested_query, suggested_total: total = 0 } = await suggestions(
      readRequest(context, match),
    );
    return suggested_query === undefined ? undefined : { query: suggested_query, total };
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** What a query finds with periods for dates and values for their words, if it finds more. */
async function withValues(
  context: SearchContext,
  request: SearchRequest,
  total: number,
  counted: readonly CountedClause[],
): Promise<Suggestions> {
  const found = counted.filter(({ count, span }) => span && count.total > 0);
  const missing = counted.filter(({ count, span }) => span && count.total === 0);
  const query = corrected(request.query, found);
  const spelled = corrected(request.query, missing);
  const together = (spelled ?? query) && (await asPhrase(context, request, spelled));
  if (together) return spelled === undefined ? { notes: [] } : together;
  const isField = missing.some((one) => one.isField);
  const near = spelled && (await asSpelled(context, request, { spelled, isField }, total));
  if (near) return near;
  const all = query === undefined ? 0 : await totalWith(context, request, 'query', query);
  if (query === undefined || all === undefined || all <= total) return { notes: [] };
  const words = found.flatMap(({ count: { clause, elsewhere } }) => {
    const values = elsewhere?.map((one) => `${one.clause} has ${withCommas(one.total)}`);
    return values === undefined ? [] : [`values have ${clause}, too (${values.join(', ')})`];
  });
  const meant = meantAs({ why: words.join(', '), query, total: all });
  return words.length === 0 ? { ...meant, notes: [] } : meant;
}

/** A query in another spelling. */
interface Spelled {
  readonly spelled: string;
  /** A clause of a field is spelled in another way: the query is of use if no row has all. */
  readonly isField: boolean;
}

/** What a query that finds `written` rows finds in another spelling: with AND if it can. */
async function asSpelled(
  context: SearchContext,
  request: SearchRequest,
  { spelled, isField }: Spelled,
  written: number,
): Promise<Suggestions | undefined> {
  const all = isField
    ? await stricter(context, request, spelled)
    : await inEveryClause(context, request, spelled);
  if (all === undefined && !isField) return undefined;
  const total = all?.total ?? (await totalWith(context, request, 'query', spelled));
  if (!total || total === written) return { notes: [] };
  const query = all?.query ?? spelled;
  const notes = [withTotal(`perhaps you mean ${query}`, total)];
  return { notes, suggested_query: query, suggested_total: total };
}

/** Words without signs and operators, two or more. */
const WORDS =
  /^(?!.*(?<!\S)(?:AND|OR|NOT)(?!\S))\s*[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*(?:\s+[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*)+\s*$/u;

/** What the words of a query find side by side; undefined: nothing, or they have signs. */
async function asPhrase(
  context: SearchContext,
  request: SearchRequest,
  text = request.query ?? '',
): Promise<Suggestions | undefined> {
  if (!WORDS.test(text)) return undefined;
  const phrase = quote(text.trim());
  const total = await totalWith(context, request, 'query', phrase);
  return total
    ? meantAs({ why: 'rows have the words side by side', query: phrase, total })
    : undefined;
}

/** A gap between words of which none is an operator, in any case. */
const GAP = /(?<!(?<!\S)(?:and|or|not))\s+(?!(?:and|or|not)(?!\S))/gi;
/** Gaps between words that are tried without their blanks. */
const JOINED_GAPS = 3;

/** What two words side by side find as one word, which may have an apostrophe. */
async function asOneWord(
  context: SearchContext,
  request: SearchRequest,
): Promise<Suggestions | undefined> {
  const { query: text = '' } = request;
  const gaps = WORDS.test(text) ? [...text.trim().matchAll(GAP)] : [];
  for (const { index, 0: gap } of gaps.slice(0, JOINED_GAPS)) {
    for (const sign of ['', "'"]) {
      const query = text.trim().slice(0, index) + sign + text.trim().slice(index + gap.length);
      const total = await totalWith(context, request, 'query', query);
      if (total) return meantAs({ why: 'rows have the words as one', query, total });
    }
  }
  return undefined;
}

const meantAs = ({ why, query, total }: Reasoned, before: readonly string[] = []): Suggestions => ({
  notes: [...before, withTotal(meantNote({ why, query }), total)],
  suggested_query: query,
  suggested_total: total,
});

/** What a clause may have meant, or why it finds nothing; a word without hits may be chance. */
function clauseNotes({ count, note, isField }: CountedClause): readonly string[] {
  const { clause, total, elsewhere, suggestion, suggestion_total } = count;
  if (total > 0) return note === undefined ? [] : [note];
  const meant = elsewhere?.[0] ?? { clause: suggestion, total: suggestion_total ?? 0 };
  const nothing = `${clause} finds nothing`;
  const said = note === undefined ? [] : [note];
  if (meant.clause === undefined) return isField ? [[nothing, ...said].join(': ')] : said;
  const isSaid = note !== undefined && (!isField || note.includes(meant.clause));
  return isSaid ? said : [`${nothing}: ${meant.clause} has ${withCommas(meant.total)}`, ...said];
}
