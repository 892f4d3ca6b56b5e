import {
  type AggBucket,
  type AggResult,
  type AggResults,
  type AggregateResponse,
  type AggSpecs,
  type IndexDescription,
  isPlain,
  type Json,
  type JsonObject,
  textOfJson,
  withDates,
} from '@lakehouse-search/contract';
import {
  choiceArgument,
  objectArgument,
  readArguments,
  textArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE } from '../base/data-text.ts';
import { STATE_SCHEMA, stateOf, stateText } from '../base/table-state.ts';
import { visible } from '../base/visible.ts';
import { fittingCount, withinBudget } from '../base/within-budget.ts';
import { aggSpecs, type FlatAggregation, INTERVALS } from './aggregate-request.ts';
import { cursorText, readCursor } from './cursor.ts';
import { shortDates } from './hit-view.ts';
import { reasonsOf } from './nothing-found.ts';
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
import { fieldWords } from './served-words.ts';
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
  WHOLE,
} from './tool.ts';

const SIZE = { least: 1, most: 1000, standard: 10 };

const INPUT = {
  index: INDEXES,
  query: textArgument('rows to count, in the lexical syntax of search; default: all'),
  filter: textArgument('further clauses that every row must match'),
  operator: choiceArgument(['and', 'or'], 'joins clauses and words side by side of the query'),
  terms: textArgument('group by the values of this sortable field'),
  size: wholeArgument(SIZE.least, SIZE.most, SIZE.standard, 'groups of terms, the largest first'),
  order: textArgument('of groups: _count:asc, _key:asc, or a figure: stats.avg:desc'),
  histogram: textArgument('group by periods of this DATE field; groups of terms are inside'),
  interval: choiceArgument(INTERVALS, 'the period of histogram, UTC; others: aggs with range'),
  stats: textArgument('count, min, max, sum and avg of this number or DATE field, per group'),
  cardinality: textArgument('number of distinct values of this field, per group'),
  percentiles: textArgument('percentiles of this number field, per group'),
  aggs: objectArgument(
    'others, inside the groups: {name: {kind: {field, …}, aggs?}}; kinds: terms, stats, avg, ' +
      'min, max, sum, range, histogram, date_histogram, date_part, filter, missing, cardinality, ' +
      'percentiles; of figures (_count, name, stats.avg): ratio {of, to}, change {of} since the ' +
      'period before; groups take order {figure: "desc"}, having {figure: {gte: 5}}',
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
    ...{ indexes: OBJECTS, ...PAGE_SCHEMA, suggested_query: TEXT, notes: TEXTS },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<AggregateInput>(INPUT, aggregateTool.required, value);
  const indexes = await indexesOfCall(input.index, context);
  const call = { ...input, index: indexes.map(({ index }) => index).join() } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const { query = '', filter = '', operator = 'and', max_tokens: _, cursor: __, ...flat } = input;
  const match = {
    query: query === '' ? '*:*' : query,
    default_operator: operator,
    suggest: true,
    ...(filter === '' ? {} : { filter }),
  };
  const aggs = aggSpecs(flat);
  const parts = await Promise.all(
    indexes.map(async (index): Promise<Part> => {
      const request = { ...match, index: index.index, aggs };
      const response = await context.backend.aggregate(request, context.call);
      return { index: index.index, response, results: shownResults(response, aggs, index) };
    }),
  );
  return withinBudget(tokensFor(input), (room) => answerOf({ parts, offset, call }, room));
}

/** What an answer has of one index. */
interface Part {
  readonly index: string;
  readonly response: AggregateResponse;
  readonly results: AggResults;
}

/** What a page is made of. */
interface Found {
  readonly parts: readonly Part[];
  readonly offset: number;
  readonly call: JsonObject;
}

function answerOf(found: Found, room: number): ToolAnswer {
  return found.parts.length === 1 ? answerOfOne(found, room) : answerOfSeveral(found, room);
}

function answerOfOne({ parts: [part], offset, call }: Found, room: number): ToolAnswer {
  const { response } = part;
  const page = pageOf(part.results, offset, room);
  const at = { offset: page.shown, snapshot: response.snapshot };
  const { suggested_query } = response;
  const notes = notesOf(part);
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: part.index,
    total: response.total,
    results: page.results as JsonObject,
    ...stateOf(response),
    truncated: page.isCut,
    ...(page.hasMore ? { continuation: cursorText(at, call) } : {}),
    ...(suggested_query === undefined ? {} : { suggested_query }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return {
    structured,
    text: textOf(structured, [`in ${part.index}; ${stateText(response)}`], call),
  };
}

/** Each index has a share of the room for its groups. */
function answerOfSeveral({ parts, call }: Found, room: number): ToolAnswer {
  const pages = parts.map(({ results }) => pageOf(results, 0, Math.floor(room / parts.length)));
  const notes = parts.flatMap((part) => notesOf(part).map((note) => `${part.index}: ${note}`));
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
  return { structured, text: textOf(structured, states, call) };
}

function notesOf({ response }: Part): readonly string[] {
  return [...reasonsOf(response).notes, ...(response.failed_shards > 0 ? [PART_MISSING] : [])];
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
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutNoise(part)]));
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

function textOf(structured: JsonObject, states: readonly string[], call: JsonObject): string {
  const { total, indexes, results, continuation, truncated, suggested_query: meant } = structured;
  const isCut = truncated === true && continuation === undefined;
  const shown = results ?? (indexes as readonly JsonObject[]).map(resultsOf);
  const [first] = (indexes ?? [structured]) as readonly JsonObject[];
  const hasGroups = textOfJson(first.results) !== '{}';
  return [
    `${total} matching rows${states.length === 1 ? '' : ':'} ${states.join(' · ')}`,
    ...(hasGroups ? [DATA_NOTICE, `<data>\n${fenced(shown)}\n</data>`] : []),
    ...(call.interval === 'day_of_week' ? ['keys of days: 1 = Monday to 7 = Sunday, UTC'] : []),
    ...((structured.notes ?? []) as string[]),
    ...(meant === undefined ? [] : [`suggested_query: ${JSON.stringify(meant)}`]),
    ...(isCut ? ['groups were left out: request fewer, or one aggregation at a time'] : []),
    ...moreLines(continuation, 'more groups'),
  ].join('\n');
}

const resultsOf = ({ index, results }: JsonObject): JsonObject => ({ [String(index)]: results });
const fenced = (json: Json): string => textOfJson(json).replaceAll('<', '\\u003c');
