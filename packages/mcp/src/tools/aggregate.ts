import {
  type AggBucket,
  type AggResult,
  type AggResults,
  type JsonObject,
  textOfJson,
} from '@lakehouse-search/contract';
import {
  choiceArgument,
  objectArgument,
  readArguments,
  textArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, NOTICE_SCHEMA } from '../base/data-text.ts';
import { tokensOfJson } from '../base/tokens.ts';
import { aggSpecs, type FlatAggregation, INTERVALS } from './aggregate-request.ts';
import { cursorText, readCursor } from './cursor.ts';
import {
  type Budgeted,
  budgetOf,
  CURSOR,
  INDEX,
  indexOfCall,
  MAX_TOKENS,
} from './page-arguments.ts';
import { fieldWords, indexWords } from './served-words.ts';
import {
  type AgentTool,
  ANY_OBJECT,
  objectSchema,
  PAGE_SCHEMA,
  PART_MISSING,
  SNAPSHOT,
  TEXT,
  TEXTS,
  type ToolAnswer,
  WHOLE,
} from './tool.ts';

const SIZE = { least: 1, most: 1000, standard: 10 };

const INPUT = {
  index: INDEX,
  query: textArgument('rows to count, in the query syntax of search; default: all'),
  filter: textArgument('further clauses that every row must match'),
  operator: choiceArgument(['or', 'and'], 'joins the words of the query'),
  terms: textArgument('group by the values of this sortable field'),
  size: wholeArgument(SIZE.least, SIZE.most, SIZE.standard, 'groups of terms, the largest first'),
  histogram: textArgument('group by periods of this DATE field'),
  interval: choiceArgument(INTERVALS, 'the period of histogram, UTC'),
  stats: textArgument('count, min, max, sum and avg of this number field, per group if there are'),
  cardinality: textArgument('number of distinct values of this field, per group if there are'),
  percentiles: textArgument('percentiles of this number field, per group if there are'),
  aggs: objectArgument(
    'other aggregations as {name: {kind: {field, …}, aggs?}}: kinds terms, stats, avg, min, max, ' +
      'sum, range, histogram, date_histogram, filter, missing, cardinality, percentiles',
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
    `Count rows of ${indexWords(served)}, group them by values or periods, and compute figures ` +
    `per group. It covers all matching rows, not a page.${fieldWords(served)}`,
  input: INPUT,
  required: [],
  output: objectSchema(
    {
      index: TEXT,
      total: { ...WHOLE, description: 'matching rows' },
      results: { ...ANY_OBJECT, description: 'by aggregation: buckets of key and doc_count, …' },
      snapshot: SNAPSHOT,
      notes: TEXTS,
      ...PAGE_SCHEMA,
      data_notice: NOTICE_SCHEMA,
    },
    ...['index', 'total', 'results', 'truncated', 'data_notice'],
  ),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<AggregateInput>(INPUT, aggregateTool.required, value);
  const { index } = await indexOfCall(input.index, context);
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const { query = '*:*', filter, operator, max_tokens: _, cursor: __, ...flat } = input;
  const request = {
    index,
    query: query === '' ? '*:*' : query,
    aggs: aggSpecs(flat),
    ...(filter === undefined || filter === '' ? {} : { filter }),
    ...(operator === undefined ? {} : { default_operator: operator }),
  };
  const answer = await context.backend.aggregate(request, context.call);
  const dated = withDates(answer.results, request.aggs);
  const page = pageOf(dated, offset, budgetOf(input));
  const at = { offset: page.shown, snapshot: answer.snapshot };
  const lost = answer.failed_shards > 0 ? [PART_MISSING] : [];
  const notes = [...(answer.notes ?? []), ...lost];
  const structured: JsonObject = {
    index,
    total: answer.total,
    results: page.results as JsonObject,
    snapshot: answer.snapshot,
    ...(notes.length === 0 ? {} : { notes }),
    truncated: page.isCut,
    ...(page.goesOn ? { continuation: cursorText(at, call) } : {}),
    data_notice: DATA_NOTICE,
  };
  return { structured, text: textOf(structured) };
}

const MICROS = 1000;

/** Buckets of date histograms also say their date: keys are microseconds since 1970. */
function withDates(results: AggResults, specs: JsonObject): AggResults {
  const entries = Object.entries(results).map(([name, result]): [string, AggResult] => {
    const spec = (specs[name] ?? {}) as JsonObject;
    const inner = (spec.aggs ?? {}) as JsonObject;
    const isDated = spec.date_histogram !== undefined || spec.DateHistogram !== undefined;
    if (!('buckets' in result)) return [name, result];
    const buckets = result.buckets.map(
      (bucket): AggBucket => ({
        ...(isDated && typeof bucket.key === 'number'
          ? { date: new Date(bucket.key / MICROS).toISOString() }
          : {}),
        ...bucket,
        ...(bucket.aggs === undefined ? {} : { aggs: withDates(bucket.aggs, inner) }),
      }),
    );
    return [name, { ...result, buckets }];
  });
  return Object.fromEntries(entries);
}

/**
 * The part of results that a budget has room for: the outer buckets of a single aggregation, from
 * `offset` on; of several, the first buckets of each.
 */
function pageOf(results: AggResults, offset: number, budget: number) {
  const [first, ...others] = Object.entries(results);
  if (first !== undefined && others.length === 0 && 'buckets' in first[1]) {
    const [name, result] = first;
    const buckets = fitting(result.buckets.slice(offset), budget);
    const shown = offset + buckets.length;
    const goesOn = shown < result.buckets.length;
    return { results: { [name]: { ...result, buckets } }, shown, goesOn, isCut: goesOn };
  }
  const each = Math.floor(budget / Math.max(1, others.length + 1));
  let isCut = false;
  const entries = Object.entries(results).map(([name, result]): [string, AggResult] => {
    if (!('buckets' in result)) return [name, result];
    const buckets = fitting(result.buckets, each);
    if (buckets.length < result.buckets.length) isCut = true;
    return [name, { ...result, buckets }];
  });
  return { results: Object.fromEntries(entries), shown: 0, goesOn: false, isCut };
}

function fitting(buckets: readonly AggBucket[], budget: number): readonly AggBucket[] {
  let left = budget;
  const end = buckets.findIndex((bucket, i) => {
    left -= tokensOfJson(bucket as unknown as JsonObject);
    return left < 0 && i > 0;
  });
  return end < 0 ? buckets : buckets.slice(0, end);
}

function textOf(structured: JsonObject): string {
  const { index, total, results, continuation, truncated, notes = [] } = structured;
  const cut =
    continuation !== undefined
      ? [`more groups: repeat with cursor "${continuation}"`]
      : truncated === true
        ? ['groups were left out: request fewer, or one aggregation at a time']
        : [];
  const json = textOfJson(results).replaceAll('<', '\\u003c');
  return [
    `${total} matching rows in ${index}`,
    DATA_NOTICE,
    `<data>\n${json}\n</data>`,
    ...(notes as string[]),
    ...cut,
  ].join('\n');
}
