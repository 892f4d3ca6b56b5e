/**
 * Why the row of a key is, or is not, among the hits of a search. Steps:
 *
 * 1. The search is bound, and its near documents are found (prepare-explain.ts).
 * 2. The shard that has the key judges the query's tree and the filter's on the document
 *    (shard/explain). What it needs of all shards is found and sent to it.
 * 3. A key that no shard has is looked up in the table: absent, or newer than the index. For the
 *    callers of a tenant it is absent, and the table is not read: no answer and no time says
 *    whether another tenant has the key.
 * 4. Matched: its rank by the search itself (rank.ts). Not: the first clause that keeps it out.
 * 5. Where the index lags, the table says whether it still has the row.
 */

import type { ExplainDetail, ExplainResponse, WhyNot } from '@lakehouse-search/contract';
import {
  type CheckedExplain,
  type CheckedExplainRequest,
  withCommas,
} from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import {
  coordinatesOfTexts,
  encodeKey,
  formatKey,
  textsOfCoordinates,
} from '../../schema/keys/key.ts';
import { shardTable } from '../../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../../schema/sharding/key-buckets.ts';
import { analyzedTerms } from '../../shard/explain/analyzed.ts';
import { searchWords } from '../../shard/explain/explain-search.ts';
import { silent } from '../../shard/explain/verdict.ts';
import { docsByName } from '../../shard/request/precomputed.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type {
  ElsewhereFacts,
  ElsewhereNeeds,
  HybridArms,
  NearerDocs,
  ShardExplain,
  ShardExplanation,
} from '../../shard/shard.ts';
import { nearestSpelling } from '../advice/meant.ts';
import { commitState, lagAfter, type SearchContext, scanned, shownMillis } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import type { Hybrid } from '../hybrid/find-hybrid.ts';
import { type Near, nearestOf } from '../hybrid/find-nearest.ts';
import { addressNumber } from '../hybrid/fuse.ts';
import { mergedStatistics } from '../statistics.ts';
import { judgeHybrid } from './explain-hybrid.ts';
import { type ExplainedSearch, prepareExplain, scoredBy } from './prepare-explain.ts';
import { rankOf, totalOf } from './rank.ts';
import { askTable, type TableAnswer } from './table-state.ts';

/** What the index says; the table has not been asked. */
type IndexAnswer = Pick<
  ExplainResponse,
  'found' | 'matched' | 'score' | 'rank' | 'total' | 'detail' | 'arms' | 'analyzed' | 'why_not'
>;

/**
 * Explains a search on one key. Throws invalid_argument (not a key of this index, unknown request
 * fields), invalid_query, limit_exceeded; a table that cannot be reached is part of the answer.
 */
export async function explainKey(
  context: SearchContext,
  request: CheckedExplainRequest,
): Promise<ExplainResponse> {
  const started = performance.now();
  const { mapping } = context;
  const fan = new FanOut(context.shards);
  const search = await prepareExplain(context, fan, request.asked);
  const texts = textsOfCoordinates(mapping.key, request.coordinates);
  const name = formatKey(coordinatesOfTexts(mapping.key, texts));
  const key = encodeKey(texts, mapping.key.numbers);
  const explanation = new Explanation(context, fan, request.asked, search, key);
  const answer = await explanation.answer();
  const indexed = performance.now();
  const behind = await context.lag('now').catch(lagAfter);
  const lag = behind.lag_snapshots;
  const hidden = context.tenant !== undefined && !answer.found;
  const doubtful = !answer.found || (lag !== null && lag > 0);
  const table = doubtful && !hidden ? await askTable(context, texts) : null;
  const ended = performance.now();
  const why_not = hidden
    ? ({ reason: 'absent', message: `${name} is not in the index` } as const)
    : table === null
      ? answer.why_not
      : tableReason(answer, table, lag, name);
  const millis = (ms: number) => shownMillis(ms, context.tenant);
  const way = scoredBy(search);
  return {
    ...answer,
    ...(way === null ? {} : { scored_by: way }),
    ...(why_not === undefined ? {} : { why_not }),
    timings: {
      index_ms: millis(indexed - started),
      hydration_ms: millis(ended - indexed),
      total_ms: millis(ended - started),
    },
    ...scanned(fan),
    ...commitState(context),
    ...behind,
  };
}

/** The explanation of one search on one key, from all shards. */
class Explanation {
  readonly #context: SearchContext;
  readonly #fan: FanOut;
  readonly #checked: CheckedExplain;
  readonly #search: ExplainedSearch;
  readonly #key: Uint8Array;

  constructor(
    context: SearchContext,
    fan: FanOut,
    checked: CheckedExplain,
    search: ExplainedSearch,
    key: Uint8Array,
  ) {
    this.#context = context;
    this.#fan = fan;
    this.#checked = checked;
    this.#search = search;
    this.#key = key;
  }

  async answer(): Promise<IndexAnswer> {
    const { prepared, hybrid } = this.#search;
    const analyzed = this.#analyzed();
    const explained = await this.#explained();
    if (explained === null) return { found: false, matched: false, analyzed };
    const { filter, detail, why_not: missed, address, doc } = explained;
    const narrowed = filter?.why_not;
    const out = async (why_not: WhyNot): Promise<IndexAnswer> => {
      const total = await totalOf(this.#context, this.#fan, prepared);
      return { found: true, analyzed, matched: false, total, why_not };
    };
    if (narrowed !== undefined && this.#search.byMeaning) return out(narrowed);
    const verdict =
      hybrid === null || explained.arms === undefined
        ? { detail, why_not: missed, arms: undefined }
        : await judgeHybrid(hybrid, this.#checked as CheckedExplain & { mode: 'hybrid' }, {
            address,
            own: explained.arms,
            nearer: (near) => this.#nearer(near, address),
            searched: (near) => this.#searched(near, doc?.segment ?? -1),
          });
    const arms = verdict.arms === undefined ? {} : { arms: verdict.arms };
    if (verdict.detail === undefined) return { ...(await out(verdict.why_not as WhyNot)), ...arms };
    if (narrowed !== undefined) return out(narrowed);
    const shown = withFilter(verdict.detail, filter?.clause);
    return { ...(await this.#matched()), score: shown.score, detail: shown, ...arms, analyzed };
  }

  #analyzed() {
    const { prepared, node } = this.#search;
    const [{ search, precomputed }] = prepared.queries;
    const { mapping } = this.#context;
    const fields = queryFields(mapping, docsByName(precomputed?.query, mapping, null));
    return analyzedTerms(node, {
      fields,
      text: search.request.query ?? null,
      notes: [],
      leaves: 0,
    });
  }

  /** The shard of the key. */
  #owner(): number {
    const shards = this.#fan.shards.length;
    return shardOfKey(this.#key, shardTable({ ...this.#context.mapping.definition, shards }));
  }

  /** What the shard of the key says of its document; null: it has none. */
  async #explained(): Promise<(ShardExplanation & { readonly address: number }) | null> {
    let elsewhere: ElsewhereFacts = { nearer: [], terms: [] };
    const request = await this.#request();
    const owner = this.#owner();
    for (;;) {
      const answers = await this.#fan.ask((shard, number) => {
        if (number !== owner) return null;
        const { left: time, signal } = this.#context.deadline;
        return shard.explain({ ...request(number), elsewhere, time }, signal);
      });
      const own = answers[owner] ?? null;
      if (own === null) throw this.#fan.error;
      if (own.doc === null) return null;
      const address = addressNumber({ shard: owner, ...own.doc });
      if (own.needs === undefined) return { ...own, address };
      elsewhere = await this.#facts(elsewhere, own.needs, address);
    }
  }

  async #request(): Promise<(shard: number) => Omit<ShardExplain, 'elsewhere' | 'time'>> {
    const { prepared, byMeaning, hybrid } = this.#search;
    const { queries, bound } = prepared;
    const words = hybrid?.words?.bound.clause;
    const clauses = [bound.clause, bound.filter, words].filter((one) => one != null);
    const statistics = await mergedStatistics(this.#fan, this.#context, clauses, 'all');
    const arms = hybrid === null ? {} : { hybrid: armsOf(hybrid, this.#checked) };
    const key = this.#key;
    return (shard) => ({ query: queries[shard], key, statistics, byMeaning, ...arms });
  }

  /** The facts that a shard had, and those that it needs. */
  async #facts(
    known: ElsewhereFacts,
    needs: ElsewhereNeeds,
    address: number,
  ): Promise<ElsewhereFacts> {
    const { mapping } = this.#context;
    const nearer: NearerDocs[] = [...known.nearer];
    for (const id of needs.nearer) {
      const near = this.#search.prepared.near?.get(id) as Near;
      nearer.push({ id, ...(await this.#nearer(near, address)) });
    }
    const terms = [...known.terms];
    for (const { field, word } of needs.terms) {
      const isKnown = queryFields(mapping).plans.has(field);
      const nearest = isKnown ? await nearestSpelling(this.#context, this.#fan, field, word) : null;
      terms.push({ field, word, nearest: nearest ?? null });
    }
    return { nearer, terms };
  }

  /** How the vectors of a segment of the shard that has the key were searched. */
  #searched({ vector, searched }: Near, segment: number): string | null {
    if (vector === null) return null;
    const own = searched[this.#owner()] ?? [];
    const found = own.find((one) => one.segment === segment);
    return searchWords(found, this.#context.tenant !== undefined);
  }

  async #nearer(near: Near, address: number): Promise<Omit<NearerDocs, 'id'>> {
    const { k } = near.nearest;
    const settings = { k: LIMITS.nearestDocs, exact: true };
    const { docs } = await nearestOf(this.#context, this.#fan, near, settings);
    const own = docs.find((doc) => addressNumber(doc) === address)?.similarity;
    // Documents that are equally near share a rank.
    const rank = own === undefined ? null : 1 + docs.findIndex((doc) => doc.similarity === own);
    const last = docs[Math.min(k, docs.length) - 1]?.similarity ?? null;
    return { count: docs.length, rank, last };
  }

  async #matched(): Promise<Omit<IndexAnswer, 'analyzed'>> {
    const { prepared } = this.#search;
    const { limit, offset } = prepared.bound.checked;
    const { rank, before, total } = await rankOf(this.#context, this.#fan, prepared, this.#key);
    const answer = { found: true, matched: true, ...(rank === null ? {} : { rank }), total };
    const end = offset + limit;
    if (rank !== null && rank <= end) return answer;
    const place =
      rank === null ? `a place after ${withCommas(before)} hits` : `rank ${withCommas(rank)}`;
    const message = `${place} is after the page, which ends at ${withCommas(end)}`;
    return { ...answer, why_not: { reason: 'below_page', message } };
  }
}

function armsOf({ words, semantic, field }: Hybrid, checked: CheckedExplain): HybridArms {
  const { text, lexicalFields } = checked as CheckedExplain & { readonly mode: 'hybrid' };
  return {
    words: words === null ? null : { text, fields: lexicalFields ?? null },
    near: semantic === null ? null : { field: field.plan.name, vector: semantic.vector },
  };
}

/** The filter is shown beside the parts of the query, with a score of 0. */
function withFilter(detail: ExplainDetail, filter: string | undefined): ExplainDetail {
  if (filter === undefined) return detail;
  const parts = detail.details.length > 0 ? detail.details : [detail];
  const details = [...parts, silent(filter, 'matches; a filter does not score')];
  const { clause, score } = detail;
  return { description: `${clause}: under a filter`, score, details, clause };
}

/** What the table adds to the index's answer. */
function tableReason(
  { found, why_not }: IndexAnswer,
  table: TableAnswer,
  lag: number | null,
  name: string,
): WhyNot | undefined {
  if (found) {
    if (table.state !== 'absent') return why_not;
    const message = `${name} is no longer in the table: a sync removes it from the index`;
    return { reason: 'removed', message };
  }
  if (table.state === 'unreachable') {
    const message = `${name} is not in the index, and the table cannot be read: ${table.message}`;
    return { reason: 'table_unreachable', message };
  }
  if (table.state === 'absent') {
    return { reason: 'absent', message: `${name} is in neither the index nor the table` };
  }
  if (lag === 0) {
    const message = `${name} is in the table and not in the index, which is at the table's head`;
    return { reason: 'not_indexed', message };
  }
  const behind =
    lag === null ? 'is behind' : `lacks ${lag === 1 ? '1 snapshot' : `${lag} snapshots`}`;
  const message = `${name} is in the table; the index ${behind}: a sync adds it`;
  return { reason: 'newer_than_index', message, missing_snapshots: lag };
}
