import { lazily } from '../base/lazily.ts';
import type { Clock } from '../base/time/clock.ts';
import { Deadline, type TimeLeft } from '../base/time/deadline.ts';
import { atOnceOrInTurns } from '../base/turns.ts';
import { hasCold } from '../index/cold-segments.ts';
import type { DataFiles } from '../index/commits/data-files.ts';
import type { IndexSnapshot, SnapshotShard } from '../index/index-snapshot.ts';
import type { Clause } from '../query/bind/clause.ts';
import { type FieldFigures, gatherFigures } from '../query/weight/statistics.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { WindowLayout } from '../schema/windows.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { type Prepare, withColdBytes } from '../storage/cold-cache.ts';
import { mapCold } from '../storage/cold-file.ts';
import type { ColdSearches } from '../vector/cold-candidates.ts';
import {
  type DemandingPlan,
  demandFor,
  demandFrequencies,
  demandPlaces,
} from './execute/demand.ts';
import { executing } from './execute/execute.ts';
import type { FilterCache } from './execute/filter-cache.ts';
import { narrowingClauses } from './execute/narrowing.ts';
import { nearestDocs, withVector } from './execute/nearest.ts';
import { executingPage } from './execute/next-pages.ts';
import { tenantFigures } from './execute/tenant-figures.ts';
import { documentTerms } from './fetch/document-terms.ts';
import { demandDocs, demandingMore, fetchDocs, locatorOf, readKeys } from './fetch/fetch-docs.ts';
import { bindSummary } from './request/bind-aggregations.ts';
import { type BoundRequest, bindFilter, bindRequest } from './request/bind-request.ts';
import { docsByName } from './request/precomputed.ts';
import { queryFields } from './request/query-fields.ts';
import { ownsDocument, tenantFilter } from './request/tenant-filter.ts';
import type {
  Awaitable,
  DocAddress,
  FetchedDoc,
  KeyedDoc,
  NearDoc,
  NearDocs,
  Shard,
  ShardAggregate,
  ShardExplain,
  ShardExplanation,
  ShardFetch,
  ShardHits,
  ShardKeys,
  ShardNearest,
  ShardPartials,
  ShardQuery,
  ShardSearch,
  ShardSuggest,
  StatisticsRequest,
} from './shard.ts';
import type { RankedTerm } from './suggest/suggestion-list.ts';

const loadSummary = lazily(() => import('./execute/summarize-matches.ts'));
const loadSuggest = lazily(() => import('./suggest/suggest-terms.ts'));
const loadExplain = lazily(() => import('./explain/explain-doc.ts'));

/** What local shards of one engine share. */
export interface LocalShardOptions {
  /** Matches of filters that were computed before. */
  readonly filters?: FilterCache | null;
  /** Default: the machine's. */
  readonly clock?: Pick<Clock, 'ticks'>;
  /** It is the only shard: all of its hits are shown. */
  readonly alone?: boolean;
}

/** The shards of a commit, by number. The caller holds the commit while it uses them. */
export function localShards(
  snapshot: Pick<IndexSnapshot, 'shards' | 'files'>,
  mapping: Mapping,
  options?: LocalShardOptions,
): readonly LocalShard[] {
  const own = { ...options, alone: snapshot.shards.length === 1 };
  return snapshot.shards.map((shard) => new LocalShard(shard, snapshot.files, mapping, own));
}

/**
 * A shard of this thread: the segments of one shard of an open commit. It keeps nothing itself;
 * what is worth keeping lives with the open segments.
 */
export class LocalShard implements Shard {
  readonly #segments: readonly SegmentReader[];
  readonly #files: DataFiles;
  readonly #mapping: Mapping;
  readonly #filters: FilterCache | null;
  readonly #clock: Pick<Clock, 'ticks'> | undefined;
  readonly #cold: boolean;
  readonly #alone: boolean;

  constructor(
    { segments }: Pick<SnapshotShard, 'segments'>,
    files: DataFiles,
    mapping: Mapping,
    { filters = null, clock, alone = false }: LocalShardOptions = {},
  ) {
    this.#segments = segments;
    this.#cold = hasCold(segments);
    this.#alone = alone;
    this.#files = files;
    this.#mapping = mapping;
    this.#filters = filters;
    this.#clock = clock;
  }

  statistics({ fields, tenant }: StatisticsRequest): Awaitable<readonly FieldFigures[]> {
    if (tenant === undefined) {
      const demand = () => demandFrequencies(this.#segments, fields);
      return this.#reading(() => gatherFigures(this.#segments, fields), demand);
    }
    const plans = new Map(this.#mapping.fields.map(({ plan }) => [plan.id, plan]));
    const scope = {
      tenantFilter: tenantFilter(this.#mapping, tenant),
      filters: this.#filters,
      planOf: (field: number) => plans.get(field),
    };
    return this.#reading(() => tenantFigures(this.#segments, fields, scope));
  }

  search(request: ShardSearch, signal?: AbortSignal): Awaitable<ShardHits> {
    const searching = () => this.#searching(request, signal);
    const search = () =>
      atOnceOrInTurns(this.#cold ? this.#withKeys(searching(), request) : searching());
    return this.#reading(search, this.#demandsOf(request.query, request.limit));
  }

  /**
   * Reads the keys of hits, too: whoever merges shards does not fetch cold bytes. What the page
   * shows is demanded with them.
   */
  *#withKeys(
    searching: Generator<void, ShardHits>,
    { query }: ShardSearch,
  ): Generator<void, ShardHits> {
    const found = yield* searching;
    readKeys(found.docs, () => this.#demandPage(query, found.docs));
    return found;
  }

  #demandPage(query: ShardQuery, docs: readonly DocAddress[]): void {
    if (this.#alone) demandDocs(this.#segments, this.#bind(query), docs);
  }

  #searching(request: ShardSearch, signal: AbortSignal | undefined): Generator<void, ShardHits> {
    const { query, after, limit, skip, total, groups, statistics, time } = request;
    const { clause, filter, tenantFilter, order, collapse } = this.#bind(query);
    const deadline = this.#deadline(time, signal);
    const filters = this.#filters;
    const windows = this.#windows;
    const documents = { clause, filter, tenantFilter, windows, filters, statistics, deadline };
    const demandPage = (docs: readonly DocAddress[]) => this.#demandPage(query, docs);
    const ordered = { order, collapse, limit, skip, after, total, groups };
    const plan = { ...documents, ...ordered, demandPage };
    if (after === null || query.precomputed?.whole !== undefined || groups !== undefined) {
      return executing(this.#segments, plan);
    }
    const named = { request: query.search.request, tenant: query.tenant };
    return executingPage(this.#segments, { ...plan, skip: 0, after }, named);
  }

  nearest(request: ShardNearest, signal?: AbortSignal): Awaitable<NearDocs> {
    const clauses = this.#narrowing(request);
    const prepare: Prepare = (missing) => {
      this.#demand({ clauses }, missing);
      // keys decide between rows that are equally near
      for (const segment of this.#segments) if (segment.isCold) demandPlaces(segment);
    };
    const cold: ColdSearches = new WeakMap();
    return this.#reading(() => this.#nearest(request, cold, signal), prepare);
  }

  #nearest(request: ShardNearest, cold: ColdSearches, signal: AbortSignal | undefined): NearDocs {
    const { field, vector, settings, keys, time } = request;
    const plan = queryFields(this.#mapping).plans.get(field);
    if (plan === undefined) throw new TypeError(`"${field}" is no field of the shard`);
    const scope = {
      narrowing: this.#narrowing(request),
      windows: this.#windows,
      filters: this.#filters,
      deadline: this.#deadline(time, signal),
      cold,
    };
    const found = nearestDocs(this.#segments, withVector(plan), vector, settings, scope);
    if (!keys) return found;
    const keyOf = ({ segment, doc }: NearDoc) => this.#segments[segment].keys.key(doc);
    return { ...found, docs: mapCold(found.docs, (near) => ({ ...near, key: keyOf(near) })) };
  }

  async aggregate(
    { query, specs, whole, time }: ShardAggregate,
    signal?: AbortSignal,
  ): Promise<ShardPartials> {
    const { summarizeMatches } = await loadSummary();
    const deadline = this.#deadline(time, signal);
    const own = { windows: this.#windows, filters: this.#filters, deadline };
    const plan = { ...this.#bind(query), ...own };
    const { all } = bindSummary(this.#mapping, query, specs, this.#idsFor(query));
    const summarize = () => summarizeMatches(this.#segments, plan, all, whole);
    return this.#reading(summarize, this.#demandsOf(query));
  }

  async suggest(request: ShardSuggest, signal?: AbortSignal): Promise<readonly RankedTerm[]> {
    const { suggestTerms } = await loadSuggest();
    const deadline = this.#deadline(request.time, signal);
    const work = { deadline, filters: this.#filters };
    return this.#reading(() => suggestTerms(this.#segments, this.#mapping, request, work));
  }

  keys(request: ShardKeys): Awaitable<readonly (KeyedDoc | null)[]> {
    return this.#reading(() => this.#keys(request));
  }

  #keys({ keys, tenant, termsOf }: ShardKeys): readonly (KeyedDoc | null)[] {
    const own = tenant === undefined ? null : tenantFilter(this.#mapping, tenant);
    return keys.map((key) => {
      for (const reader of this.#segments) {
        const doc = reader.keys.find(key);
        if (doc < 0) continue;
        if (own !== null && !ownsDocument(own, reader, doc)) return null;
        const locator = locatorOf(reader, doc, this.#files);
        if (termsOf === undefined) return { locator };
        return { locator, terms: documentTerms(reader, doc, this.#mapping, termsOf) };
      }
      return null;
    });
  }

  async explain(request: ShardExplain, signal?: AbortSignal): Promise<ShardExplanation> {
    const { explainDoc } = await loadExplain();
    this.#deadline(request.time, signal);
    return this.#reading(() => explainDoc(this.#segments, this.#mapping, request));
  }

  fetch(request: ShardFetch, signal?: AbortSignal): Awaitable<readonly FetchedDoc[]> {
    const { query, docs, locators, time } = request;
    const files = locators ? this.#files : null;
    const bound = this.#bind(query);
    const read = () => fetchDocs(this.#segments, files, bound, docs, this.#deadline(time, signal));
    const demand = () => demandDocs(this.#segments, bound, docs);
    return this.#reading(() => demandingMore(read, demand));
  }

  /** Runs `read`; if there are cold segments, with the bytes that it demands of them. */
  #reading<T>(read: () => T | Promise<T>, prepare?: Prepare): T | Promise<T> {
    return this.#cold ? withColdBytes(read, prepare) : read();
  }

  #demandsOf(query: ShardQuery, limit = 0): Prepare | undefined {
    if (!this.#cold) return undefined;
    const { clause, order, collapse, ...narrowing } = this.#bind(query);
    const clauses = [clause, ...narrowingClauses(narrowing)];
    return (missing) => this.#demand({ clauses, order, collapse, limit }, missing);
  }

  #demand(plan: DemandingPlan, missing: string | null): void {
    demandFor(this.#segments, this.#windows, plan, missing);
  }

  get #windows(): WindowLayout | null {
    return this.#mapping.windows ?? null;
  }

  #bind(query: ShardQuery): BoundRequest {
    return bindRequest(this.#mapping, query, this.#idsFor(query));
  }

  /** The ids of the segments, by which precomputed documents are found; null: there are none. */
  #idsFor({ precomputed }: ShardQuery): readonly string[] | null {
    return precomputed === undefined ? null : this.#segments.map(({ id }) => id);
  }

  #narrowing({ filters, tenant }: ShardNearest): readonly Clause[] {
    const ids = this.#segments.map(({ id }) => id);
    const own = filters.flatMap(({ request, precomputed }) => {
      const clause = bindFilter(
        request,
        this.#mapping,
        docsByName(precomputed, this.#mapping, ids),
      );
      return clause === null ? [] : [clause];
    });
    return tenant === undefined ? own : [tenantFilter(this.#mapping, tenant), ...own];
  }

  /** Throws for a request that comes too late. */
  #deadline(time: TimeLeft, signal: AbortSignal | undefined): Deadline {
    const deadline = Deadline.limited(time, signal, this.#clock);
    deadline.check();
    return deadline;
  }
}
