import type {
  AggBucket,
  AggResult,
  AggResults,
  AggregateRequest,
  AggregateResponse,
  AggSpecs,
  IndexDescription,
  Json,
  JsonObject,
} from '@lakehouse-search/contract';
import { isPlain, withDates } from '@lakehouse-search/contract/internal';
import {
  choiceArgument,
  objectArgument,
  readArguments,
  textArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataLines } from '../base/data-text.ts';
import { STATE_SCHEMA, stateOf, stateText, withLag } from '../base/table-state.ts';
import { visible } from '../base/visible.ts';
import { fittingCount, withinBudget } from '../base/within-budget.ts';
import {
  aggSpecs,
  type FlatAggregation,
  INTERVALS,
  isDatePart,
  SIZE,
} from './aggregate-request.ts';
import { type Answered, answerEach, NO_ROWS } from './answer-each.ts';
import { cursorText, readCursor } from './cursor.ts';
import { inFieldCase } from './hints/field-case.ts';
import { epochDate } from './hints/field-values.ts';
import { foldMissing, withMissing } from './hints/missing-rows.ts';
import { reasonsOf, suggestedLines, suggestedOf } from './hints/nothing-found.ts';
import { requireDates } from './hints/number-periods.ts';
import { anyFieldNotes, withOtherFields } from './hints/other-fields.ts';
import { fieldWords } from './hints/served-words.ts';
import { shortDates } from './hits/hit-view.ts';
import { withoutNext } from './hits/ties.ts';
import {
  type Budgeted,
  CURSOR,
  INDEXES,
  type IndexNames,
  indexesOfCall,
  MAX_TOKENS,
  moreLines,
  tokensFor,
} from './page-arguments.ts';
import { hasTexts, resultLines } from './result-lines.ts';
import {
  type AgentTool,
  ANY_OBJECT,
  OBJECTS,
  objectSchema,
  PAGE_SCHEMA,
  PART_MISSING,
  TEXT,
  TEXTS,
  type ToolAnswer,
  type ToolCall,
  WHOLE,
} from './tool.ts';

const INPUT = {
  index: INDEXES,
  query: textArgument('rows to count, in the lexical syntax of search; default: all'),
  filter: textArgument('further clauses that every row must match'),
  operator: choiceArgument(['and', 'or'], 'joins clauses and words side by side of the query'),
  terms: textArgument('group by the values of this sortable field'),
  size: wholeArgument(1, 1000, SIZE, 'groups of terms; histogram: all'),
  order: textArgument('of groups: _count:asc, _key:asc, or a figure: stats.avg:desc'),
  histogram: textArgument('group by periods of this DATE field; groups of terms are inside'),
  interval: choiceArgument(INTERVALS, 'the period of histogram; others: aggs with range'),
  time_zone: textArgument('of interval: Asia/Tokyo; default: UTC'),
  stats: textArgument('count, min, max, sum, avg of this number or DATE field, per group'),
  cardinality: textArgument('distinct values of this field, per group'),
  percentiles: textArgument('percentiles of this number field, per group'),
  aggs: objectArgument(
    'others, inside the groups: {by_f: {terms: {field: "f"}, aggs?}}; kinds: terms, ' +
      'significant_terms, stats, avg, min, max, sum, range, histogram, date_histogram, ' +
      'date_part, filter, missing, cardinality, percentiles; ' +
      'of figures (_count, name, stats.avg): ratio {of, to}, change {of} since the period ' +
      'before; groups take size, order {figure: "desc"}, having {figure: {gte: 5}}',
  ),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

interface AggregateInput extends FlatAggregation, Budgeted {
  readonly index?: IndexNames;
  readonly query?: string;
  readonly filter?: string;
  readonly operator?: 'or' | 'and';
}

/** Counts, groups and figures over all matching rows. */
export const aggregateTool: AgentTool = {
  name: 'aggregate',
  title: 'Count and group rows',
  describe: (served) =>
    'Count rows; group them by values or periods, with figures per group. It covers all matching ' +
    `rows, not a page.${served.only === undefined ? fieldWords(served) : ''}`,
  input: INPUT,
  required: [],
  output: objectSchema({
    ...{ data_notice: TEXT, index: TEXT, total: WHOLE, results: ANY_OBJECT, ...STATE_SCHEMA },
    ...{
      indexes: OBJECTS,
      ...PAGE_SCHEMA,
      suggested_query: TEXT,
      suggested_total: WHOLE,
      notes: TEXTS,
    },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<AggregateInput>(INPUT, aggregateTool.required, value);
  const indexes = await indexesOfCall(input.index, context);
  const call = { ...input, index: indexes.map(({ index }) => index).join() } as JsonObject;
  return inFieldCase(input, indexes, context, (named, notes) =>
    answerTo(named, { indexes, call, notes }, context),
  );
}

async function answerTo(
  input: AggregateInput,
  { indexes, call, notes }: ToolCall,
  context: AgentContext,
): Promise<ToolAnswer> {
  const { offset } = readCursor(input.cursor, call);
  const { query = '', filter = '', operator = 'and', max_tokens: _, cursor: __, ...flat } = input;
  const match = {
    query: query === '' ? '*:*' : query,
    default_operator: operator,
    suggest: true,
    ...(filter === '' ? {} : { filter }),
  };
  const isCut = flat.terms !== undefined && flat.histogram === undefined;
  // the group behind the last one tells whether that one has ties
  const aggs = aggSpecs(isCut ? { ...flat, size: (flat.size ?? SIZE) + 1 } : flat);
  const read = (request: AggregateRequest) => context.backend.aggregate(request, context.call);
  const found = await answerEach(
    indexes,
    async (index, optional_fields) => {
      const own = { ...match, index: index.index, optional_fields };
      await requireDates(flat, index, read);
      const all = await read({ ...own, aggs: withMissing(aggs) });
      const response = await withLag({ ...all, results: foldMissing(all.results) }, index, context);
      return withOtherFields(response, { ...own, query }, index, context);
    },
    ({ index }) => read({ index, query: NO_ROWS, aggs: {} }),
  );
  const parts = found.map((one) => partOf(one, aggs, isCut ? flat : undefined));
  return withinBudget(tokensFor(input), (room) =>
    answerOf({ parts, offset, call, aggs, notes }, room),
  );
}

/** What an answer has of one index. */
interface Part {
  readonly index: string;
  readonly response: AggregateResponse;
  readonly results: AggResults;
  readonly notes: readonly string[];
}

/** The results as they are shown; `cut`: their terms have one group more. */
function partOf(
  { index, response }: Answered<AggregateResponse>,
  aggs: AggSpecs,
  cut: FlatAggregation | undefined,
): Part {
  const { terms, ...others } = response.results;
  const { size = SIZE, order } = cut ?? {};
  const { result, notes } = withoutNext(cut && terms, size, order);
  const results = result === undefined ? response.results : { terms: result, ...others };
  const own = [
    ...reasonsOf(response).notes,
    ...(response.failed_shards > 0 ? [PART_MISSING] : []),
    ...notes,
  ];
  const shown = shownResults({ ...response, results }, aggs, index);
  return { index: index.index, response, results: shown, notes: own };
}

/** What a page is made of. */
interface Found {
  readonly parts: readonly Part[];
  readonly offset: number;
  readonly call: JsonObject;
  readonly aggs: AggSpecs;
  /** Remarks on the call. */
  readonly notes: readonly string[];
}

function answerOf(found: Found, room: number): ToolAnswer {
  return found.parts.length === 1 ? answerOfOne(found, room) : answerOfSeveral(found, room);
}

function answerOfOne(
  { parts: [part], offset, call, aggs, notes: ofCall }: Found,
  room: number,
): ToolAnswer {
  const { response } = part;
  const page = pageOf(part.results, offset, room);
  const at = { offset: page.shown, state: null };
  const notes = [...ofCall, ...part.notes];
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: part.index,
    total: response.total,
    results: page.results as JsonObject,
    ...stateOf(response),
    truncated: page.isCut,
    ...(page.hasMore ? { continuation: cursorText(at, call) } : {}),
    ...suggestedOf(response),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return {
    structured,
    text: textOf(structured, [stateText(response)], {
      call,
      lines: resultLines(page.results, aggs),
      withTexts: hasTexts(page.results),
    }),
  };
}

/** Each index has a share of the room for its groups. */
function answerOfSeveral({ parts, call, aggs, notes: ofCall }: Found, room: number): ToolAnswer {
  const pages = parts.map(({ results }) => pageOf(results, 0, Math.floor(room / parts.length)));
  const ofParts = parts.flatMap((part) => part.notes.map((note) => `${part.index}: ${note}`));
  const notes = [...ofCall, ...ofParts, ...anyFieldNotes(parts.map(({ response }) => response))];
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: parts.map(({ index }) => index).join(),
    total: parts.reduce((sum, { response }) => sum + response.total, 0),
    indexes: parts.map(({ index, response }, i) => {
      const { results } = pages[i] as { results: JsonObject };
      return { index, total: response.total, ...stateOf(response), results };
    }),
    truncated: pages.some(({ isCut }) => isCut),
    ...(notes.length === 0 ? {} : { notes }),
  };
  const states = parts.map(
    ({ index, response }) => `${response.total} in ${index}; ${stateText(response)}`,
  );
  const withTexts = pages.some(({ results }) => hasTexts(results));
  const lines = pages.flatMap(({ results }, i) => {
    const own = resultLines(results, aggs);
    return own.length === 0 ? [] : [`${parts[i].index}:`, ...own];
  });
  return { structured, text: textOf(structured, states, { call, lines, withTexts }) };
}

/** Dates as texts, without figures that say nothing. */
function shownResults(
  { results }: AggregateResponse,
  aggs: AggSpecs,
  { fields }: IndexDescription,
): AggResults {
  const dates = new Set(fields.flatMap(({ type, name }) => (type === 'DATE' ? [name] : [])));
  return visible(withoutNoise(withDates(results, aggs, dates) as JsonObject)) as AggResults;
}

/** Counts of what is beyond the groups, and errors, if they are 0. */
const NOISE = ['sum_other_doc_count', 'doc_count_error_upper_bound'];

function withoutNoise(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (!isPlain(value)) return shortDates(value);
  const parts = Object.entries(value as JsonObject);
  const kept = parts.filter(([name, part]) => part !== 0 || !NOISE.includes(name));
  const { key, doc_count } = value as JsonObject;
  const date = doc_count === undefined ? undefined : epochDate(key);
  return {
    ...Object.fromEntries(kept.map(([name, part]) => [name, withoutNoise(part)])),
    ...(date === undefined ? {} : { looks_like_epoch_ms: date }),
  };
}

/**
 * The part of results that a room has space for: the outer buckets of a single aggregation, from
 * `offset` on; of several, the first buckets of each.
 */
function pageOf(results: AggResults, offset: number, room: number) {
  const [first, ...others] = Object.entries(results);
  if (first !== undefined && others.length === 0 && 'buckets' in first[1]) {
    const [name, result] = first;
    const buckets = fitting(result.buckets.slice(offset), room);
    const shown = offset + buckets.length;
    const hasMore = shown < result.buckets.length;
    return { results: { [name]: { ...result, buckets } }, shown, hasMore, isCut: hasMore };
  }
  const each = Math.floor(room / Math.max(1, others.length + 1));
  let isCut = false;
  const entries = Object.entries(results).map(([name, result]): [string, AggResult] => {
    if (!('buckets' in result)) return [name, result];
    const buckets = fitting(result.buckets, each);
    if (buckets.length < result.buckets.length) isCut = true;
    return [name, { ...result, buckets }];
  });
  return { results: Object.fromEntries(entries), shown: 0, hasMore: false, isCut };
}

const fitting = (buckets: readonly AggBucket[], room: number): readonly AggBucket[] =>
  buckets.slice(0, fittingCount(buckets as unknown as readonly JsonObject[], room));

interface TextParts {
  readonly call: JsonObject;
  readonly lines: readonly string[];
  /** The lines have texts of rows. */
  readonly withTexts: boolean;
}

function textOf(
  { total, continuation, truncated, notes = [], ...rest }: JsonObject,
  states: readonly string[],
  { call, lines, withTexts }: TextParts,
): string {
  const isCut = truncated === true && continuation === undefined;
  return [
    `${total} matching rows${states.length === 1 ? ';' : ':'} ${states.join(' · ')}`,
    ...(withTexts ? dataLines(lines) : lines),
    ...periodNotes(call),
    ...(notes as string[]),
    ...suggestedLines(rest),
    ...(isCut ? ['groups were left out: request fewer, or one aggregation at a time'] : []),
    ...moreLines(continuation, 'more groups'),
  ].join('\n');
}

/** What the keys of parts of dates mean. */
function periodNotes({ interval, time_zone }: JsonObject): readonly string[] {
  if (!isDatePart(interval)) return [];
  const days = interval === 'day_of_week' ? ['keys of days: 1 = Monday to 7 = Sunday'] : [];
  return [...days, `parts of dates in ${time_zone ?? 'UTC; time_zone names another zone'}`];
}
