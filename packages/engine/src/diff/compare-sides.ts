/**
 * Compares the hits of one search on two sides:
 *
 * 1. Search both sides for their first hits.
 * 2. Explain each hit that entered, left or moved on both sides: match, score, and the figures of
 *    its clauses.
 * 3. Look the rows of these hits up in the table at both snapshots.
 * 4. Name the causes: what the row contributes (frequency, length, match) changed with its columns
 *    or with the definition; what the index contributes (documents, average length) changed; or
 *    neither, and other hits went before it.
 */

import type {
  Coordinates,
  DiffCause,
  DiffedHit,
  DiffPlace,
  DiffStatistic,
  ExplainDetail,
  ExplainResponse,
  ScoreFactors,
} from '@lakehouse-search/contract';
import { type CheckedRequest, keyText } from '@lakehouse-search/contract/internal';
import type { SearchContext } from '../search/context.ts';
import { explainKey } from '../search/explain/explain.ts';
import { searchIndex } from '../search/search.ts';
import type { RowState } from './row-states.ts';

/** Others that are named with a hit. */
const MOST_OTHERS = 5;

/** A side that can be searched. */
export interface SearchedSide {
  readonly context: () => SearchContext;
  readonly definitionVersion: number;
}

/** A hit on one side's page. */
interface Hit {
  readonly coordinates: Coordinates;
  readonly rank: number;
  readonly score: number;
}

interface Page {
  readonly total: number;
  readonly hits: ReadonlyMap<string, Hit>;
}

/** The difference of two pages. */
export interface ComparedPages {
  readonly totals: { readonly from: number; readonly to: number };
  readonly same: number;
  readonly hits: readonly DiffedHit[];
}

/** What is compared, and what the table says of the rows of some keys. */
export interface CompareRequest {
  readonly from: SearchedSide;
  readonly to: SearchedSide;
  readonly search: CheckedRequest;
  readonly rows: (keys: readonly Coordinates[]) => Promise<readonly RowState[]>;
}

/** Compares. Throws what a search throws on either side. */
export async function compareSides(request: CompareRequest): Promise<ComparedPages> {
  const { from, to, search, rows } = request;
  const before = await pageOf(from, search);
  const after = await pageOf(to, search);
  const differing = differingHits(before, after);
  const states = await rows(differing.map(({ coordinates }) => coordinates));
  const hits: DiffedHit[] = [];
  for (const [i, { name, coordinates, change }] of differing.entries()) {
    const explained = {
      from: await explain(from, search, coordinates),
      to: await explain(to, search, coordinates),
    };
    const places = {
      ...placeOf('from', before.hits.get(name), explained.from),
      ...placeOf('to', after.hits.get(name), explained.to),
    };
    const redefined = from.definitionVersion !== to.definitionVersion;
    const others = () => othersOf(name, before, after);
    const causes = causesOf(explained, states[i], redefined, others);
    hits.push({ coordinates, change, ...places, causes });
  }
  const common = [...after.hits.keys()].filter((name) => before.hits.has(name)).length;
  const moved = hits.filter(({ change }) => change === 'moved').length;
  return { totals: { from: before.total, to: after.total }, same: common - moved, hits };
}

async function pageOf({ context }: SearchedSide, search: CheckedRequest): Promise<Page> {
  const { hits, total } = await searchIndex(context(), search);
  const ranked = hits.map(({ coordinates, score }, i): [string, Hit] => {
    return [keyText(coordinates), { coordinates, rank: i + 1, score: score ?? 0 }];
  });
  return { total: total ?? 0, hits: new Map(ranked) };
}

type Differing = Pick<DiffedHit, 'coordinates' | 'change'> & { readonly name: string };

function differingHits(before: Page, after: Page): readonly Differing[] {
  const entered = [...after.hits].flatMap(([name, hit]): readonly Differing[] => {
    const former = before.hits.get(name);
    const { coordinates } = hit;
    if (former === undefined) return [{ name, coordinates, change: 'entered' }];
    if (former.rank === hit.rank && former.score === hit.score) return [];
    return [{ name, coordinates, change: 'moved' }];
  });
  const left = [...before.hits].flatMap(([name, { coordinates }]): readonly Differing[] =>
    after.hits.has(name) ? [] : [{ name, coordinates, change: 'left' }],
  );
  return [...entered, ...left];
}

function explain(
  { context }: SearchedSide,
  search: CheckedRequest,
  coordinates: Coordinates,
): Promise<ExplainResponse> {
  return explainKey(context(), { asked: { mode: 'lexical', search }, coordinates });
}

function placeOf(
  side: 'from' | 'to',
  hit: Hit | undefined,
  { matched, score, rank }: ExplainResponse,
): { readonly [K in 'from' | 'to']?: DiffPlace } {
  if (hit !== undefined) return { [side]: { rank: hit.rank, score: hit.score } };
  if (!matched || score === undefined) return {};
  return { [side]: rank === undefined ? { score } : { rank, score } };
}

interface Explained {
  readonly from: ExplainResponse;
  readonly to: ExplainResponse;
}

function causesOf(
  explained: Explained,
  row: RowState,
  redefined: boolean,
  others: () => readonly Coordinates[],
): readonly DiffCause[] {
  const { from, to } = explained;
  if (row.state === 'inserted') return [{ cause: 'row_inserted' }];
  if (row.state === 'deleted') return [{ cause: 'row_deleted' }];
  const [before, after] = [leavesOf(from), leavesOf(to)];
  const causes: DiffCause[] = [];
  if (from.matched !== to.matched || ownPart(before) !== ownPart(after)) {
    const { columns } = row;
    if (row.state === 'same') causes.push({ cause: 'definition' });
    else causes.push({ cause: 'row_changed', ...(columns === undefined ? {} : { columns }) });
  }
  const scored = from.matched && to.matched && from.score !== to.score;
  const statistics = scored ? movedStatistics(before, after) : [];
  if (statistics.length > 0) causes.push({ cause: 'statistics', statistics });
  else if (scored && causes.length === 0 && redefined) causes.push({ cause: 'definition' });
  if (causes.length > 0) return causes;
  const named = others();
  return [{ cause: 'others', ...(named.length === 0 ? {} : { others: named }) }];
}

interface Leaf {
  readonly clause: string;
  readonly factors: ScoreFactors;
}

/** The parts of a score that are terms and phrases. */
function leavesOf({ detail }: ExplainResponse): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const visit = ({ clause, factors, details }: ExplainDetail): void => {
    if (factors !== undefined) leaves.push({ clause, factors });
    else details.forEach(visit);
  };
  if (detail !== undefined) visit(detail);
  return leaves;
}

/** What the document itself contributes: which clauses, how often, in how many tokens. */
const ownPart = (leaves: readonly Leaf[]): string =>
  JSON.stringify(
    leaves.map(({ clause, factors: { boost, frequency, length } }) => {
      return [clause, boost, frequency ?? null, length ?? null];
    }),
  );

/** Clauses of both sides whose figures of the whole index differ. */
function movedStatistics(
  before: readonly Leaf[],
  after: readonly Leaf[],
): readonly DiffStatistic[] {
  const alike = (leaves: readonly Leaf[], { clause }: Leaf) =>
    leaves.filter((leaf) => leaf.clause === clause);
  return before.flatMap((leaf) => {
    // a bare word has a leaf for each field, in the order of the fields
    const other = alike(after, leaf)[alike(before, leaf).indexOf(leaf)];
    if (other === undefined) return [];
    const [a, b] = [leaf.factors, other.factors];
    const df = [a, b].map((one) => one.df.reduce((sum, count) => sum + count, 0));
    const average_length = [a, b].flatMap((one) => one.average_length ?? []);
    const moved = a.docs !== b.docs || df[0] !== df[1] || average_length[0] !== average_length[1];
    return moved ? [{ clause: leaf.clause, docs: [a.docs, b.docs], df, average_length }] : [];
  });
}

/** Hits that are before this one on one side only. */
function othersOf(name: string, before: Page, after: Page): readonly Coordinates[] {
  const ahead = (page: Page): ReadonlyMap<string, Coordinates> => {
    const own = page.hits.get(name)?.rank ?? Number.POSITIVE_INFINITY;
    const hits = [...page.hits].filter(([, { rank }]) => rank < own);
    return new Map(hits.map(([key, { coordinates }]) => [key, coordinates]));
  };
  const [former, now] = [ahead(before), ahead(after)];
  const only = (a: typeof former, b: typeof former) =>
    [...a].filter(([key]) => !b.has(key)).map(([, coordinates]) => coordinates);
  return [...only(now, former), ...only(former, now)].slice(0, MOST_OTHERS);
}
