/**
 * Why the row of a key is, or is not, among the hits of a search. Steps:
 *
 * 1. The search is checked and bound as a search is, the documents of an arm by meaning are found
 *    (asked.ts); the key is looked up in the index.
 * 2. A key that the index does not have is looked for in the table: absent, or newer than the
 *    index. For the callers of a tenant it is absent, and the table is not read: no answer and no
 *    time says whether another tenant has the key.
 * 3. The query's tree and the filter's are judged on the document, node by node (verdict.ts).
 * 4. Matched: its rank by the search itself (rank.ts). Not: the first clause that keeps it out
 *    (why-not.ts).
 * 5. Where the index lags, the table is asked whether it still has the row.
 */
import type {
  CheckedExplainRequest,
  ExplainDetail,
  ExplainResponse,
  WhyNot,
} from '@lakehouse-search/contract';
import type { QueryFields } from '../../query/bind/fields.ts';
import type { QueryText } from '../../query/bind/place.ts';
import type { Query } from '../../query/query.ts';
import { SnapshotStatistics } from '../../query/weight/statistics.ts';
import { coordinatesOfTexts, encodeKey, formatKey, textsOfCoordinates } from '../../schema/key.ts';
import { type SearchContext, UNKNOWN_LAG } from '../context.ts';
import type { SearchPlan } from '../request/plan.ts';
import { ownsDocument } from '../tenant.ts';
import { analyzedTerms } from './analyzed.ts';
import { type AskedSearch, askedSearch } from './asked.ts';
import { documentContents } from './contents.ts';
import { rankOf, totalOf } from './rank.ts';
import { type Subject, whole } from './subject.ts';
import { askTable, type TableAnswer } from './table-state.ts';
import { judge, silent } from './verdict.ts';
import { whyNot } from './why-not.ts';

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
  const { mapping, snapshot } = context;
  const asked = await askedSearch(context, request.asked);
  const texts = textsOfCoordinates(mapping.key, request.coordinates);
  const name = formatKey(coordinatesOfTexts(mapping.key, texts));
  const answer = explainIn(context, asked, encodeKey(texts));
  const indexed = performance.now();
  const behind = (await context.lag?.('now').catch(() => UNKNOWN_LAG)) ?? UNKNOWN_LAG;
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
  return {
    ...answer,
    ...(why_not === undefined ? {} : { why_not }),
    timings: {
      index_ms: millis(indexed - started),
      hydration_ms: millis(ended - indexed),
      total_ms: millis(ended - started),
    },
    shards_scanned: 1,
    shards_total: 1,
    snapshot: snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: snapshot.generation,
    ...behind,
  };
}

const millis = (ms: number): number => Math.round(ms * 1000) / 1000;

function explainIn(context: SearchContext, asked: AskedSearch, key: Uint8Array): IndexAnswer {
  const { snapshot, guard = null } = context;
  const { plan, node, fields, hybrid } = asked;
  const { request } = plan.checked;
  const analyzed = analyzedTerms(node, { fields, text: request.query ?? null, leaves: 0 });
  const missing = { found: false, matched: false, analyzed };
  const place = snapshot.find(key);
  if (place === null) return missing;
  const statistics = new SnapshotStatistics(snapshot.segments);
  const { segment: reader, doc } = place;
  const contents = documentContents(reader, doc);
  const subjectOf = (text: QueryText, of: QueryFields): Subject => {
    const bind = { fields: of, text, leaves: 0 };
    return { snapshot, reader, doc, contents, statistics, bind, guarded: guard !== null };
  };
  const subject = subjectOf(request.query ?? null, fields);
  // Another tenant's document is as good as none.
  if (guard !== null && !ownsDocument(guard, reader, doc)) return missing;
  const found = { found: true, analyzed };
  const out = (why_not: WhyNot): IndexAnswer => {
    return { ...found, matched: false, total: totalOf(context, plan), why_not };
  };
  const filterText = typeof request.filter === 'string' ? request.filter : null;
  const filterSubject = subjectOf(filterText, asked.filterFields);
  const filter = asked.filterNode === null ? null : judge(asked.filterNode, filterSubject);
  const narrowed =
    filter === null || filter.detail !== null ? null : filterReason(whyNot(filter, filterSubject));
  // What is near is looked for behind the filter: a row that it keeps out is not far, but out.
  if (narrowed !== null && asked.byMeaning) return out(narrowed);
  const verdict = hybrid === null ? plainVerdict(node, subject) : hybrid.judge(subject);
  if (verdict.detail === undefined) return { ...out(verdict.why_not), ...armsOf(verdict) };
  if (narrowed !== null) return out(narrowed);
  const detail = withFilter(verdict.detail, filter?.clause);
  const answer = matched(context, plan, key);
  return { ...answer, score: detail.score, detail, ...armsOf(verdict), analyzed };
}

type SomeVerdict = Pick<ExplainResponse, 'arms'> &
  (
    | { readonly detail: ExplainDetail; readonly why_not?: undefined }
    | { readonly detail?: undefined; readonly why_not: WhyNot }
  );

function plainVerdict(node: Query, subject: Subject): SomeVerdict {
  const verdict = judge(node, subject);
  const { detail } = verdict;
  return detail === null ? { why_not: whyNot(verdict, subject) } : { detail };
}

const armsOf = ({ arms }: SomeVerdict): Pick<ExplainResponse, 'arms'> =>
  arms === undefined ? {} : { arms };

function filterReason(why: WhyNot): WhyNot {
  return { ...why, reason: 'filter', message: `the filter does not match: ${why.message}` };
}

/** The filter stands beside the parts of the query, with 0. */
function withFilter(detail: ExplainDetail, filter: string | undefined): ExplainDetail {
  if (filter === undefined) return detail;
  const parts = detail.details.length > 0 ? detail.details : [detail];
  const details = [...parts, silent(filter, 'matches; a filter does not score')];
  const { clause, score } = detail;
  return { description: `${clause}: under a filter`, score, details, clause };
}

function matched(
  context: SearchContext,
  plan: SearchPlan,
  key: Uint8Array,
): Omit<IndexAnswer, 'analyzed'> {
  const { limit, offset } = plan.checked;
  const { rank, before, total } = rankOf(context, plan, key);
  const answer = { found: true, matched: true, ...(rank === null ? {} : { rank }), total };
  const end = offset + limit;
  if (rank !== null && rank <= end) return answer;
  const place = rank === null ? `a place after ${whole(before)} hits` : `rank ${whole(rank)}`;
  const message = `${place} lies behind the page, which ends at ${whole(end)}`;
  return { ...answer, why_not: { reason: 'below_page', message } };
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
    const message = `${name} is no longer in the table: a sync takes it out of the index`;
    return { reason: 'removed', message };
  }
  if (table.state === 'unreachable') {
    const message = `${name} is not in the index, and the table cannot be asked: ${table.message}`;
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
  const message = `${name} is in the table; the index ${behind}: a sync brings it`;
  return { reason: 'newer_than_index', message, missing_snapshots: lag };
}
