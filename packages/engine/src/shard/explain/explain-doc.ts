/**
 * The query and the filter of a request on the document of one key, clause by clause. What one
 * shard cannot know (how many documents of all shards are nearer, the nearest term of all shards)
 * is part of the request. Where it is missing the answer names it, and the request is sent again
 * with it.
 */
import type { QueryFields } from '../../query/bind/fields.ts';
import type { QueryText } from '../../query/bind/scope.ts';
import { explainClause } from '../../query/explain/explain-clause.ts';
import { SnapshotStatistics } from '../../query/weight/statistics.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { readFilter, readQuery } from '../request/bind-request.ts';
import { docsByName, lexicalFields, wordsClause } from '../request/precomputed.ts';
import { queryFields } from '../request/query-fields.ts';
import { ownsDocument, tenantFilter } from '../request/tenant-filter.ts';
import type {
  ExplainedArms,
  HybridArms,
  NamedDocs,
  ShardExplain,
  ShardExplanation,
} from '../shard.ts';
import { documentContents } from './contents.ts';
import { Elsewhere } from './elsewhere.ts';
import { similarityTo, similarityWords } from './explain-near.ts';
import type { Subject } from './subject.ts';
import { judge } from './verdict.ts';
import { whyNot } from './why-not.ts';

/** Explains a request on the live document of its key; `doc` is null where the shard has none. */
export function explainDoc(
  segments: readonly SegmentReader[],
  mapping: Mapping,
  request: ShardExplain,
): ShardExplanation {
  const { key, query } = request;
  const segment = segments.findIndex(({ keys }) => keys.find(key) >= 0);
  if (segment < 0) return { doc: null };
  const reader = segments[segment];
  const doc = reader.keys.find(key);
  const { tenant } = query;
  // The document of another tenant is not there.
  if (tenant !== undefined && !ownsDocument(tenantFilter(mapping, tenant), reader, doc)) {
    return { doc: null };
  }
  const elsewhere = new Elsewhere(request.elsewhere);
  const judged = judgeRequest(
    request,
    subjectOf(segments, mapping, request, segment, doc, elsewhere),
  );
  const { needs } = elsewhere;
  return { doc: { segment, doc }, ...(needs === null ? judged : { needs }) };
}

/** The document for the nodes of the query, or for those of the filter. */
type SubjectOf = (part: 'query' | 'filter') => Subject;

function subjectOf(
  segments: readonly SegmentReader[],
  mapping: Mapping,
  { query, statistics: merged }: ShardExplain,
  segment: number,
  doc: number,
  elsewhere: Elsewhere,
): SubjectOf {
  const reader = segments[segment];
  const contents = documentContents(reader, doc);
  const statistics = new SnapshotStatistics(segments, merged);
  const ids = segments.map(({ id }) => id);
  const { request } = query.search;
  const of = (text: QueryText, named: readonly NamedDocs[] | undefined): Subject => {
    const fields: QueryFields = queryFields(mapping, docsByName(named, mapping, ids));
    const bind = { fields, text, notes: [], leaves: 0 };
    const guarded = query.tenant !== undefined;
    const nearWords: Subject['nearWords'] = (near) => {
      return similarityWords(near, { reader, doc, guarded });
    };
    return { mapping, reader, doc, contents, statistics, bind, guarded, nearWords, elsewhere };
  };
  return (part) => {
    if (part === 'query') return of(request.query ?? null, query.precomputed?.query);
    const text = typeof request.filter === 'string' ? request.filter : null;
    return of(text, query.precomputed?.filter);
  };
}

function judgeRequest(
  { query, hybrid, byMeaning }: ShardExplain,
  of: SubjectOf,
): Omit<ShardExplanation, 'doc'> {
  const subject = of('query');
  const { request } = query.search;
  const filter = judgeFilter(query, of);
  // The nearest documents are those behind the filter: a row that it keeps out is not far, but out.
  if (byMeaning && filter?.why_not !== undefined) return { filter };
  const filtered = filter === null ? {} : { filter };
  if (hybrid !== undefined) return { ...filtered, arms: judgeArms(hybrid, subject) };
  const verdict = judge(readQuery(request, subject.mapping), subject);
  const { detail } = verdict;
  if (detail !== null) return { ...filtered, detail };
  return { ...filtered, why_not: whyNot(verdict, subject) };
}

function judgeFilter(
  query: ShardExplain['query'],
  of: SubjectOf,
): ShardExplanation['filter'] | null {
  const subject = of('filter');
  const node = readFilter(query.search.request, subject.mapping);
  if (node === null) return null;
  const verdict = judge(node, subject);
  const { clause } = verdict;
  if (verdict.detail !== null) return { clause };
  const why = whyNot(verdict, subject);
  const message = `the filter does not match: ${why.message}`;
  return { clause, why_not: { ...why, reason: 'filter', message } };
}

function judgeArms({ words, near }: HybridArms, subject: Subject): ExplainedArms {
  const { mapping } = subject;
  const { fields, text } = words ?? { fields: [], text: '' };
  const clause =
    words === null ? null : wordsClause(text, lexicalFields(mapping, fields ?? undefined), mapping);
  const field = near === null ? undefined : queryFields(mapping).plans.get(near.field);
  return {
    words: clause === null ? null : explainClause(clause, subject, 'words'),
    similarity:
      near === null || field === undefined
        ? null
        : similarityTo({ field, vector: near.vector }, subject),
  };
}
