import {
  type CheckedRequest,
  type ClauseCount,
  checkSearchRequest,
  type SearchRequest,
} from '@lakehouse-search/contract';
import { lowerText } from '../analysis/unicode/lower.ts';
import { isCompound, positiveQueries, type Query, type Span } from '../query/query.ts';
import { writeTree } from '../query/tree/write.ts';
import { clauseName } from '../shard/explain/subject.ts';
import { bindRequest, readFilter, readQuery } from '../shard/request/bind-request.ts';
import type { ShardQuery } from '../shard/shard.ts';
import { lagOf, type SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import { findHits, type PreparedSearch, prepareSearch } from './find-hits.ts';
import { type Guesser, meantClause, meantElsewhere } from './meant.ts';
import { missingPath } from './missing-path.ts';
import { searchIndex } from './search.ts';

/** Clauses that are counted, at most. */
const COUNTED_CLAUSES = 16;

/**
 * How many documents each positive clause of a request's query and filter finds alone, in their
 * order: what to look at when the whole finds nothing. A clause that finds nothing names what was
 * probably meant, and a word the other fields that contain it (meant.ts).
 */
export async function clauseCounts(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<readonly ClauseCount[]> {
  const lag = lagOf(context);
  const fan = new FanOut(context.shards);
  const counts = await countClauses(context, checked, fan);
  await lag;
  // A list of counts cannot say that it lacks those of a shard.
  if (fan.failed > 0) throw fan.error;
  return counts.map(({ count }) => count);
}

/** A clause and its place in the query string; without one if it is of a tree or a filter. */
export interface CountedClause {
  readonly count: ClauseCount;
  readonly span?: Span | undefined;
  /** Why it finds nothing, if it names a path that no row has. */
  readonly note?: string;
}

/** As `clauseCounts`, with places. */
export async function countClauses(
  context: SearchContext,
  checked: CheckedRequest,
  fan = new FanOut(context.shards),
): Promise<readonly CountedClause[]> {
  const prepared = await prepareSearch(context, fan, checked);
  const clauses = writtenClauses(checked.request, context);
  const count = (node: Query) => countMatches(context, fan, clauseAlone(context, prepared, node));
  const wordOf = (field: string, term: string) => wordOfTerm(context, field, term);
  const guesser: Guesser = { context, fan, count, wordOf };
  const counts: CountedClause[] = [];
  for (const { node, clause, span } of clauses.slice(0, COUNTED_CLAUSES)) {
    const total = await count(node);
    const guesses = total === 0 ? await guessed(guesser, node, clause) : {};
    const note = total === 0 ? await missingPath(guesser, node) : undefined;
    counts.push({
      count: { clause, total, ...guesses },
      span,
      ...(note === undefined ? {} : { note }),
    });
  }
  return counts;
}

/** The positive clauses of the query and of the filter, as they are written. */
function writtenClauses(request: SearchRequest, { mapping }: SearchContext) {
  const { query, filter } = request;
  const named = [...positiveClauses(readQuery(request, mapping))].map((node) => {
    return { node, clause: clauseName(node, query ?? null), span: node.span };
  });
  const tree = readFilter(request, mapping);
  const text = typeof filter === 'string' ? filter : null;
  const filters = tree === null ? [] : [...positiveClauses(tree)];
  return [
    ...named,
    ...filters.map((node) => ({ node, clause: clauseName(node, text), span: undefined })),
  ];
}

/** What a clause without hits may have meant, and the fields that hold its word. */
async function guessed(
  guesser: Guesser,
  node: Query,
  clause: string,
): Promise<Partial<ClauseCount>> {
  const meant = await meantClause(guesser, node, clause);
  const elsewhere = await meantElsewhere(guesser, node);
  return {
    ...(meant === undefined ? {} : { suggestion: meant.clause }),
    ...(meant?.total === undefined ? {} : { suggestion_total: meant.total }),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
  };
}

/**
 * The word of a document that an analyzer made a term of: stems are no words. The term itself if no
 * document shows it.
 */
async function wordOfTerm(context: SearchContext, field: string, term: string): Promise<string> {
  const mapped = context.mapping.fields.find(({ plan }) => plan.name === field);
  const inverted = mapped?.plan.inverted;
  if (inverted?.kind !== 'text' || inverted.analyzer.isStemmed !== true) return term;
  const request = {
    ast: { term: { field, value: term } },
    limit: 1,
    highlight: { fields: [field] },
  };
  const { hits } = await searchIndex(context, checkSearchRequest(request));
  const marked = hits[0]?.highlight?.[field]?.flat().find(({ marked }) => marked);
  return marked === undefined ? term : lowerText(marked.text);
}

/** A search of one clause, without the filter of the request. */
function clauseAlone(
  { mapping }: SearchContext,
  { queries }: PreparedSearch,
  node: Query,
): PreparedSearch {
  const search = { request: { ast: writeTree(node) }, limit: 0, offset: 0, highlight: null };
  const alone = queries.map((query): ShardQuery => ({ ...query, search }));
  return { queries: alone, bound: bindRequest(mapping, alone[0]), after: null };
}

async function countMatches(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
): Promise<number> {
  const window = { limit: 0, after: null, total: true };
  return (await findHits(context, fan, prepared, window)).total;
}

function* positiveClauses(node: Query): Generator<Query> {
  if (!isCompound(node) || (node.kind === 'bool' && isWord(node))) yield node;
  else for (const part of positiveQueries(node)) yield* positiveClauses(part);
}

/** True for a bare word that several fields may hold: its clauses are one place in the query. */
function isWord({ span, should }: Query & { readonly kind: 'bool' }): boolean {
  if (span === undefined || should.length < 2) return false;
  return should.every((part) => part.span?.from === span.from && part.span.to === span.to);
}
