// @module-tag campaign
/**
 * Random aggregations, nested ones too, over random documents in several segments with deleted ones
 * among them, against DuckDB over the same documents. LHS_AGG_CASES sets how many (50; campaigns:
 * 400), LHS_SEED the seed.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { AggSpecs } from '@lakehouse-search/contract';
import { checkAggregateRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  corpusPlan,
  MAPPING,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf, type ModelDoc } from '../../../../test/support/oracle/model.ts';
import { executionPlan, searchContext } from '../../../../test/support/search-context.ts';
import { aggregatePart } from '../../src/aggregate/aggregate-segments.ts';
import { mergeAll } from '../../src/aggregate/bucket-partials.ts';
import { finishAggregations } from '../../src/aggregate/finish.ts';
import type { AggPartial } from '../../src/aggregate/partial.ts';
import { valueFromBytes, valueToBytes } from '../../src/base/bytes/value-bytes.ts';
import { aggregateIndex } from '../../src/search/summarize.ts';
import { withMatched } from '../../src/shard/execute/matches.ts';
import { bindSummary } from '../../src/shard/request/bind-aggregations.ts';
import { bindRequest } from '../../src/shard/request/bind-request.ts';
import { col, namedSpecs, SqlOracle, type TestAgg } from './aggregation-sql.ts';
import { COLUMNS, FIELDS, hex, quoted } from './corpus-aggregations.ts';
import { expectEqual, randomAggs } from './random-aggregations.ts';

const CASES = Number(process.env.LHS_AGG_CASES ?? byEffort(50, 400));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const CASES_A_CORPUS = 50;

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(() => connection.closeSync());

function listOf(name: string, doc: ModelDoc): string {
  const { type } = COLUMNS[name];
  if (type === 'KEYWORD') return `[${doc.words[name].map(quoted).join(',')}]::varchar[]`;
  if (type === 'IP') {
    return `[${doc.addresses[name].map((a) => quoted(hex(a))).join(',')}]::varchar[]`;
  }
  const values = doc.numbers[name];
  if (type !== 'DOUBLE') return `[${values.map((v) => `'${v}'`).join(',')}]::bigint[]`;
  return `[${values.map((v) => `'${v === 0 ? 0 : v}'`).join(',')}]::double[]`;
}

async function load(docs: readonly ModelDoc[]): Promise<SqlOracle> {
  const types = { KEYWORD: 'varchar', IP: 'varchar', DOUBLE: 'double' } as Record<string, string>;
  const columns = Object.entries(COLUMNS).map(
    ([n, { type }]) => `${col(n)} ${types[type] ?? 'bigint'}[]`,
  );
  await connection.run(`create or replace table docs (${columns.join(', ')})`);
  const rows = docs.map(
    (doc) =>
      `(${Object.keys(COLUMNS)
        .map((n) => listOf(n, doc))
        .join(',')})`,
  );
  if (rows.length > 0) await connection.run(`insert into docs values ${rows.join(',')}`);
  return new SqlOracle(connection, 'docs', COLUMNS);
}

const queries = fc.constantFrom<readonly [string | undefined, string]>(
  [undefined, 'true'],
  [undefined, 'true'],
  ['n1:[0 TO 255]', 'len(list_filter(n1, v -> v between 0 and 255)) > 0'],
  ['k1:Perl', `list_contains(k1, 'Perl')`],
  ['NOT k1:Perl', `not list_contains(k1, 'Perl')`],
  ['k1:absent', 'false'],
);

const context = ({ snapshot }: Corpus) => searchContext(MAPPING, snapshot);

async function check(
  corpus: Corpus,
  oracle: SqlOracle,
  [query, where]: readonly [string | undefined, string],
  list: readonly TestAgg[],
): Promise<void> {
  const request = { aggs: namedSpecs(list) as AggSpecs, ...(query === undefined ? {} : { query }) };
  const answer = await aggregateIndex(context(corpus), checkAggregateRequest(request));
  expect(answer.total).toBe(await oracle.count(where));
  const wanted = await oracle.all(list, where);
  expectEqual(answer.results, wanted, JSON.stringify(request));
  expectEqual(byShards(corpus, request), wanted, `merged from bytes: ${JSON.stringify(request)}`);
}

/** The same, each segment's partial sent as bytes and merged in another order. */
function byShards(corpus: Corpus, { query, aggs }: { query?: string; aggs: AggSpecs }) {
  const search = { search: checkSearchRequest({ query }) };
  const { clause } = bindRequest(MAPPING, search);
  const { all: aggregations } = bindSummary(MAPPING, search, { aggs });
  const sent: Uint8Array[] = [];
  const plan = executionPlan(clause);
  withMatched(corpus.snapshot.segments, plan, (segments) => {
    for (const segment of segments) {
      const partials = aggregatePart([segment], aggregations, plan.deadline);
      sent.unshift(valueToBytes('partials', partials));
    }
  });
  const merged = aggregations.map((aggregation) => aggregation.empty());
  for (const bytes of sent) {
    mergeAll(aggregations, merged, valueFromBytes('partials', bytes) as AggPartial[]);
  }
  const results = finishAggregations(aggregations, merged);
  return Object.fromEntries(aggregations.map(({ name }, i) => [name, results[i]]));
}

describe('random aggregations', () => {
  test(`equal DuckDB's in ${CASES} cases (seed ${SEED})`, async () => {
    const corpora = Math.ceil(CASES / CASES_A_CORPUS);
    const plans = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: corpora });
    const cases = fc.sample(fc.tuple(queries, randomAggs(FIELDS, 2)), {
      seed: SEED,
      numRuns: CASES,
    });
    let segments = 0;
    for (const [i, plan] of plans.entries()) {
      const corpus = buildCorpus(plan);
      segments = Math.max(segments, corpus.snapshot.segments.length);
      const oracle = await load(corpus.live);
      for (const [query, list] of cases.slice(i * CASES_A_CORPUS, (i + 1) * CASES_A_CORPUS)) {
        await check(corpus, oracle, query, list);
      }
      corpus.snapshot.release();
    }
    expect(segments).toBeGreaterThan(1);
  });
});
