import {
  type AggBucket,
  type AggResult,
  type AggResults,
  type AggregateResponse,
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
import { type Reasons, reasonsFor } from './nothing-found.ts';
import {
  type Budgeted,
  CURSOR,
  INDEX,
  indexOfCall,
  MAX_TOKENS,
  moreLines,
  tokensFor,
} from './page-arguments.ts';
import { fieldWords } from './served-words.ts';
import {
  type AgentTool,
  ANY_OBJECT,
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
  index: INDEX,
  query: textArgument('rows to count, in the lexical syntax of search; default: all'),
  filter: textArgument('further clauses that every row must match'),
  operator: choiceArgument(['and', 'or'], 'joins clauses and words side by side of the query'),
  terms: textArgument('group by the values of this sortable field'),
  size: wholeArgument(SIZE.least, SIZE.most, SIZE.standard, 'groups of terms, the largest first'),
  histogram: textArgument('group by periods of this DATE field; groups of terms are inside'),
  interval: choiceArgument(INTERVALS, 'the period of histogram, UTC'),
  stats: textArgument('count, min, max, sum and avg of this number or DATE field, per group'),
  cardinality: textArgument('number of distinct values of this field, per group'),
  percentiles: textArgument('percentiles of this number field, per group'),
  aggs: objectArgument(
    'other aggregations, inside the groups above: {name: {kind: {field, …}, aggs?}} of the kinds ' +
      'terms, stats, avg, min, max, sum, range, histogram, date_histogram, filter, missing, ' +
      'cardinality, percentiles',
  ),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

interface AggregateInput extends FlatAggregation, Budgeted {
  readonly index?: string;
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
    ...{ ...PAGE_SCHEMA, suggested_query: TEXT, notes: TEXTS },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<AggregateInput>(INPUT, aggregateTool.required, value);
  const index = await indexOfCall(input.index, context);
  const call = { ...input, index: index.index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const { query = '', filter = '', operator = 'and', max_tokens: _, cursor: __, ...flat } = input;
  const match = {
    index: index.index,
    query: query === '' ? '*:*' : query,
    default_operator: operator,
    ...(filter === '' ? {} : { filter }),
  };
  const aggs = aggSpecs(flat);
  const response = await context.backend.aggregate({ ...match, aggs }, context.call);
  const reasons: Reasons =
    response.total > 0 ? { notes: response.notes ?? [] } : await reasonsFor(match, context);
  const results = shownResults(response, aggs, index);
  const found = { index: index.index, response, reasons, results, offset, call };
  return withinBudget(tokensFor(input), (room) => answerOf(found, room));
}

/** What a page is made of. */
interface Found {
  readonly index: string;
  readonly response: AggregateResponse;
  readonly reasons: Reasons;
  readonly results: AggResults;
  readonly offset: number;
  readonly call: JsonObject;
}

function answerOf(
  { index, response, reasons, results, offset, call }: Found,
  room: number,
): ToolAnswer {
  const page = pageOf(results, offset, room);
  const at = { offset: page.shown, snapshot: response.snapshot };
  const { suggested_query } = reasons;
  const notes = [...reasons.notes, ...(response.failed_shards > 0 ? [PART_MISSING] : [])];
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index,
    total: response.total,
    results: page.results as JsonObject,
    ...stateOf(response),
    truncated: page.isCut,
    ...(page.hasMore ? { continuation: cursorText(at, call) } : {}),
    ...(suggested_query === undefined ? {} : { suggested_query }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return { structured, text: textOf(structured, stateText(response)) };
}

/** Dates as texts, without figures that say nothing. */
function shownResults(
  { results }: AggregateResponse,
  aggs: JsonObject,
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

function textOf(structured: JsonObject, state: string): string {
  const { index, total, results, continuation, truncated, suggested_query: meant } = structured;
  const isCut = truncated === true && continuation === undefined;
  const json = textOfJson(results).replaceAll('<', '\\u003c');
  return [
    `${total} matching rows in ${index}; ${state}`,
    ...(json === '{}' ? [] : [DATA_NOTICE, `<data>\n${json}\n</data>`]),
    ...((structured.notes ?? []) as string[]),
    ...(meant === undefined ? [] : [`suggested_query: ${JSON.stringify(meant)}`]),
    ...(isCut ? ['groups were left out: request fewer, or one aggregation at a time'] : []),
    ...moreLines(continuation, 'more groups'),
  ].join('\n');
}
