/**
 * Filters, facets and sorts by a column behind the peers' protocol (bench/serve.ts is the same for
 * words alone): `node bench/serve-columns.ts FOLDER` answers from an index that
 * bench/columns-index.ts built. What is timed is a bound query from its clauses to the ids of the
 * page: `execute`, and for facets the aggregation over what matches.
 */
import { createInterface } from 'node:readline';
import { aggregateAll } from '../packages/engine/src/aggregate/aggregate-segments.ts';
import { finishAggregations } from '../packages/engine/src/aggregate/finish.ts';
import { mostFrequent } from '../packages/engine/src/aggregate/kinds/terms.ts';
import { Deadline } from '../packages/engine/src/base/time/deadline.ts';
import { BY_SCORE, type SortKey } from '../packages/engine/src/collect/order.ts';
import { openSnapshot } from '../packages/engine/src/index/index-snapshot.ts';
import type { Clause } from '../packages/engine/src/query/bind/clause.ts';
import { execute } from '../packages/engine/src/shard/execute/execute.ts';
import type { ExecutionPlan } from '../packages/engine/src/shard/execute/execution-plan.ts';
import { FilterCache } from '../packages/engine/src/shard/execute/filter-cache.ts';
import { withMatched } from '../packages/engine/src/shard/execute/matches.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { PLANS } from './columns-index.ts';

const snapshot = openSnapshot(openLocalDirectory(process.argv[2]));
const filters = new FilterCache();
const NEWEST: readonly SortKey[] = [{ kind: 'field', desc: true, field: PLANS.authored_at }];
const BY_REPO = mostFrequent('repo', PLANS.repo, 10);

interface Ask {
  readonly mode: string;
  readonly terms: readonly string[];
  readonly repo?: string;
  readonly lo?: number;
  readonly hi?: number;
}

const term = (field: (typeof PLANS)['text' | 'repo'], word: string): Clause => {
  return { kind: 'term', boost: 1, field, term: Buffer.from(word) };
};

function anyOf(terms: readonly string[]): Clause {
  const should = terms.map((word) => term(PLANS.text, word));
  return { kind: 'bool', must: [], should, mustNot: [], filter: [], minimum: 1 };
}

function range({ lo = 10, hi = 50 }: Ask): Clause {
  const ranges = [{ lower: BigInt(lo), upper: BigInt(hi) }];
  return { kind: 'numbers', boost: 1, field: PLANS.words, ranges };
}

/** The plan of a mode; null: facets. */
function planOf(ask: Ask, kind: string): ExecutionPlan | null | undefined {
  const plan = {
    ...{
      filter: null,
      tenantFilter: null,
      windows: null,
      filters,
      order: BY_SCORE,
      collapse: null,
      after: null,
    },
    ...{ limit: 10, total: true, statistics: null, deadline: new Deadline() },
  };
  switch (kind) {
    case 'or':
      return { ...plan, clause: anyOf(ask.terms) };
    case 'filter':
      return {
        ...plan,
        clause: anyOf(ask.terms),
        filter: term(PLANS.repo, ask.repo ?? 'Perl'),
      };
    case 'or_sort':
      return { ...plan, clause: anyOf(ask.terms), order: NEWEST };
    case 'range_sort':
      return { ...plan, clause: range(ask), order: NEWEST };
    case 'facet':
      return null;
    default:
      return undefined;
  }
}

function facet(clause: Clause) {
  let hits = 0;
  const deadline = new Deadline();
  const plan = { clause, filter: null, tenantFilter: null, windows: null, filters, deadline };
  const found = withMatched(snapshot.segments, plan, (segments) =>
    aggregateAll(segments, [BY_REPO], deadline),
  );
  const [repo] = finishAggregations([BY_REPO], found);
  const buckets = 'buckets' in repo ? repo.buckets : [];
  const facet = buckets.map((bucket) => [bucket.key, bucket.doc_count]);
  for (const bucket of buckets) hits += bucket.doc_count;
  return { facet, hits };
}

function answer(ask: Ask) {
  const kind = ask.mode.replace(/^(count_|top10_count_)/, '');
  const counted = ask.mode.includes('count_');
  const started = process.hrtime.bigint();
  const us = () => Number(process.hrtime.bigint() - started) / 1e3;
  const plan = planOf(ask, kind);
  if (plan === undefined) return { error: `no mode "${ask.mode}"` };
  if (plan === null) {
    const found = facet(anyOf(ask.terms));
    return { us: us(), exact: true, ...found };
  }
  const limit = ask.mode.startsWith('count_') ? 0 : plan.limit;
  const { docs, total } = execute(snapshot.segments, { ...plan, limit, total: counted });
  const top = docs.map(({ key, score }) => [Number(Buffer.from(key).toString()), score]);
  const time = us();
  return { us: time, hits: counted ? total : top.length, exact: counted, top };
}

console.log(JSON.stringify({ ready: true, engine: 'lhs', docs: snapshot.liveDocs }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line))));
}
