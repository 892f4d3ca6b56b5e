import type { ClauseCount, SearchRequest } from '@lakehouse-search/contract';
import {
  type CheckedRequest,
  checkSearchRequest,
  withCommas,
} from '@lakehouse-search/contract/internal';
import { lowerText } from '../../analysis/unicode/lower.ts';
import { isTextRange } from '../../query/bind/bounds.ts';
import { findField, type QueryFields } from '../../query/bind/fields.ts';
import { isCompound, positiveQueries, type Query, type Span } from '../../query/query.ts';
import { writeTree } from '../../query/tree/write.ts';
import { clauseName } from '../../shard/explain/subject.ts';
import { bindRequest } from '../../shard/request/bind-request.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { ShardQuery } from '../../shard/shard.ts';
import { lagOf, type SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { findHits, type PreparedSearch, prepareSearch, shardQueries } from '../find-hits.ts';
import { whyNoneLike } from '../liked-terms.ts';
import { searchIndex } from '../search.ts';
import { meantPeriod } from './dates/meant-period.ts';
import { wholePeriod } from './dates/whole-period.ts';
import { fewValues } from './few-values.ts';
import { fieldRange } from './field-range.ts';
import { type Guesser, isBare, leavesOf } from './guesser.ts';
import { literalPattern } from './like-pattern.ts';
import { meantClause, meantElsewhere } from './meant.ts';
import { isOfStems, meantWord } from './meant-word.ts';
import { missingPath } from './missing-path.ts';
import { mayBeValue, moreInValues } from './more-in-values.ts';
import { noWords } from './no-words.ts';
import { hasOtherWords, otherWords, type WrittenClause } from './other-words.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { withoutClause } from './without-clause.ts';
import { withoutChance } from './written/short-words.ts';

/** Clauses that are counted, at most. */
const COUNTED_CLAUSES = 16;

/**
 * How many documents each positive clause of a request's query and filter finds alone, in their
 * order, and how many the others find: what to look at when the whole finds nothing. A clause that
 * finds nothing has a suggestion, and a bare word has the other fields that contain it (meant.ts).
 */
export async function clauseCounts(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<readonly ClauseCount[]> {
  const lag = lagOf(context);
  const fan = new FanOut(context.shards);
  const read = readRequest(context, checked);
  const bind = async () => (await prepareSearch(context, fan, checked)).queries;
  const counts = await countClauses(read, fan, () => true, bind);
  await lag;
  // A list of counts cannot say that it lacks those of a shard.
  if (fan.failed > 0) throw fan.error;
  return counts.map(({ count }) => count);
}

/** A clause and its place in the query string; without one if it is of a tree or a filter. */
export interface CountedClause {
  readonly count: ClauseCount;
  readonly span?: Span | undefined;
  /** false: a bare word, or a clause of a field that the index lacks. */
  readonly isField: boolean;
  /** Why it finds nothing, or other rows than was meant. */
  readonly note?: string;
}

/** As `clauseCounts`, with places; `queries`: the request of each shard. */
export async function countClauses(
  read: ReadRequest,
  fan = new FanOut(read.context.shards),
  isCounted: (node: Query) => boolean = () => true,
  queries = async () => (await shardQueries(read.context, fan, read.checked)).queries,
): Promise<readonly CountedClause[]> {
  const { context } = read;
  const clauses = writtenClauses(read).filter(({ node }) => isCounted(node));
  if (clauses.length === 0) return [];
  const sent = await queries();
  const countOf = (match: SearchRequest) =>
    countMatches(context, fan, matching(context, sent, match));
  const count = (node: Query) => countOf({ ast: writeTree(node) });
  const wordOf = (field: string, term: string) => wordOfTerm(context, field, term);
  const countText = (query: string) => countOf({ query });
  const guesser: Guesser = { context, fan, count, countText, wordOf };
  const counts: CountedClause[] = [];
  for (const written of clauses.slice(0, COUNTED_CLAUSES)) {
    const { node, clause, span, others } = written;
    const total = await count(node);
    // of two clauses the other one is counted anyway
    const rest = others !== undefined && clauses.length > 2 ? await countOf(others) : 0;
    const { note, ...guesses } = await guessed(guesser, written, total);
    counts.push({
      count: { clause, total, ...(rest > 0 && { total_without: rest }), ...guesses },
      span,
      isField: leavesOf(node).some((leaf) => isOfField(leaf, context)),
      ...(note === undefined ? {} : { note }),
    });
  }
  return withoutChance(counts);
}

const isOfField = (leaf: Query, { mapping }: SearchContext): boolean =>
  !isBare(leaf) && 'field' in leaf && findField(queryFields(mapping), leaf.field) !== undefined;

/** The positive clauses of the query and of the filter, as they are written. */
function writtenClauses({ checked, tree, filterTree }: ReadRequest) {
  const { query = null, filter } = checked.request;
  const text = typeof filter === 'string' ? filter : null;
  const whole = filterTree === null ? {} : { filter: writeTree(filterTree) };
  const filtered = filterTree === null ? [] : [filterTree];
  const named = [...positiveClauses(tree, { beside: [], required: filtered })].map((found) => {
    const { node } = found;
    const rest = withoutClause(tree, node);
    const others = rest && { ast: writeTree(rest), ...whole };
    return { ...found, clause: clauseName(node, query), span: spanOf(node, query), others };
  });
  const inFilter = filtered.flatMap((node) => [
    ...positiveClauses(node, { beside: [], required: [tree] }),
  ]);
  const filters = inFilter.map((found) => {
    const { node } = found;
    const rest = withoutClause(filterTree as Query, node);
    const others = rest && { ast: writeTree(tree), filter: writeTree(rest) };
    return { ...found, clause: clauseName(node, text), span: undefined, others };
  });
  return [...named, ...filters];
}

/** The place of a clause, with the name of its field if it stands alone in its parentheses. */
function spanOf({ span, fieldSpan }: Query, text: string | null): Span | undefined {
  if (span === undefined || fieldSpan === undefined || text === null) return span;
  const isAlone = /^\s*:\s*\(\s*$/.test(text.slice(fieldSpan.to, span.from));
  const [end] = /^\s*\)/.exec(text.slice(span.to)) ?? [];
  return isAlone && end ? { from: fieldSpan.from, to: span.to + end.length } : span;
}

/** What a clause may have meant, the fields that hold a word that is not found, and why. */
async function guessed(
  guesser: Guesser,
  written: WrittenClause,
  total: number,
): Promise<Partial<ClauseCount> & { readonly note?: string | undefined }> {
  const { node, clause } = written;
  const better =
    (await meantPeriod(guesser, node, total)) ?? (await meantWord(guesser, node, clause, total));
  const meant = better ?? (total === 0 ? await meantClause(guesser, node, clause) : undefined);
  const others =
    total === 0
      ? await meantElsewhere(guesser, node, meant)
      : await moreInValues(guesser, node, total);
  const isBareWord = leavesOf(node).some(isBare);
  const elsewhere = others.filter(
    (one) => one.clause !== meant?.clause && (isBareWord || one.total > (meant?.total ?? 0)),
  );
  const isUnknown = total === 0 && meant === undefined;
  const reason = meant?.note ?? (await reasonOf(guesser, written, total));
  return {
    ...(meant && { suggestion: meant.clause, suggestion_total: meant.total }),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
    note: reason ?? (isUnknown ? await fewValues(guesser, node) : undefined),
  };
}

async function reasonOf(
  guesser: Guesser,
  written: WrittenClause,
  total: number,
): Promise<string | undefined> {
  const { node } = written;
  if (total > 0) return (await otherTexts(guesser, node)) ?? otherWords(guesser, written, total);
  if (node.kind === 'more_like_this') return whyNoneLike(guesser.context, guesser.fan, node);
  const { context } = guesser;
  const wordless = noWords(node, queryFields(context.mapping));
  return wordless ?? (await missingPath(guesser, node)) ?? fieldRange(context, node);
}

const NUMBERS = '[-+]?[0-9]+(\\.[0-9]+)?';

/** How many of the texts between two numbers are no numbers. */
async function otherTexts(guesser: Guesser, node: Query): Promise<string | undefined> {
  const { context, count } = guesser;
  const fields = queryFields(context.mapping);
  if (!isTextRange(node, fields) || fields.plans.get(node.field)?.inverted === null)
    return undefined;
  const { field } = node;
  const must_not: readonly Query[] = [{ kind: 'regex', field, value: NUMBERS }];
  const total = await count({ kind: 'bool', must: [node], should: [], must_not, filter: [] });
  if (total === 0) return undefined;
  const values = await fewValues(guesser, node);
  const listed = values === undefined ? '' : `; ${values}`;
  return `${withCommas(total)} rows in the range have no number as ${field}${listed}`;
}

/** Clauses that may find less or other rows than was meant, though they find some. */
export const isDoubtful = (node: Query, fields: QueryFields): boolean =>
  isOfStems(leavesOf(node), fields) ||
  isTextRange(node, fields) ||
  leavesOf(node).some((leaf) => wholePeriod(leaf, fields) !== undefined) ||
  hasOtherWords(node, fields) ||
  mayBeValue(node, fields);

/** Where the words and clauses of a query begin of which hits need only one. */
export function startsOfOr(tree: Query): ReadonlySet<number | undefined> {
  const isOr = tree.kind === 'bool' && !isWord(tree) && tree.must.length === 0;
  const written = isOr ? tree.should.flatMap(leavesOf).filter(({ span }) => span) : [];
  return new Set(written.map(({ span }) => span?.from));
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
    // the value of a term would be stemmed once more: "databas" to "databa"
    ast: { regex: { field, value: literalPattern(term) } },
    limit: 1,
    highlight: { fields: [field] },
  };
  const { hits } = await searchIndex(context, checkSearchRequest(request));
  const marked = hits[0]?.highlight?.[field]?.flat().find(({ marked }) => marked);
  return marked === undefined ? term : lowerText(marked.text);
}

/** A prepared search with another query and filter. */
function matching(
  { mapping }: SearchContext,
  queries: readonly ShardQuery[],
  request: SearchRequest,
): PreparedSearch {
  const search = { request, limit: 0, offset: 0, highlight: null };
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

function* positiveClauses(
  node: Query,
  { beside, required }: Omit<WrittenClause, 'node' | 'clause'>,
): Generator<Omit<WrittenClause, 'clause'>> {
  if (!isCompound(node) || (node.kind === 'bool' && isWord(node))) {
    yield { node, beside, required };
    return;
  }
  const { must, should, filter, must_not } = node.kind === 'bool' ? node : NONE;
  for (const part of positiveQueries(node)) {
    const others = [...must, ...filter].filter((other) => other !== part);
    const isEither = should.includes(part);
    const either = isEither ? [...others, ...should.filter((other) => other !== part)] : [];
    yield* positiveClauses(part, {
      beside: [...beside, ...either, ...must_not],
      required: [...required, ...others],
    });
  }
}

const NONE: Pick<Query & { kind: 'bool' }, 'must' | 'should' | 'filter' | 'must_not'> = {
  ...{ must: [], should: [], filter: [], must_not: [] },
};

/** True for a bare word that several fields may hold: its clauses are one place in the query. */
function isWord({ span, should }: Query & { readonly kind: 'bool' }): boolean {
  if (span === undefined || should.length < 2) return false;
  return should.every((part) => part.span?.from === span.from && part.span.to === span.to);
}
