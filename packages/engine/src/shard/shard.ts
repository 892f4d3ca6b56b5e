/**
 * One shard of an index at one commit, as a coordinator (search/) sees it: an interface over plain
 * values, so that the shard may be in this thread (local-shard.ts), in a worker thread or on
 * another machine. A request carries the checked JSON of the contract and nothing bound: the shard
 * binds it to its own mapping.
 *
 * Scores do not depend on the number of shards: with several shards a request carries the
 * statistics of all of them, and the documents that were found before the query runs (those of
 * `knn` clauses, of a semantic or hybrid search).
 */
import type {
  AggSpecs,
  ExplainDetail,
  FacetSpec,
  Highlight,
  JsonObject,
  SearchRequest,
  WhyNot,
} from '@lakehouse-search/contract';
import type {
  CheckedNearest,
  CheckedRequest,
  CheckedSuggest,
} from '@lakehouse-search/contract/internal';
import type { Locator } from '@lakehouse-search/lake';
import type { AggPartial } from '../aggregate/partial.ts';
import type { TimeLeft } from '../base/time/deadline.ts';
import type { CollapsedDoc } from '../collect/collapse.ts';
import type { RankedDoc, SearchAfter, SortValue } from '../collect/order.ts';
import type { LikedTerms } from '../query/bind/precomputed.ts';
import type { FieldFigures, TermsOfField } from '../query/weight/statistics.ts';
import type { SearchChoice } from '../vector/search-cost.ts';
import type { RankedTerm } from './suggest/suggestion-list.ts';

/** An answer that may be there at once: a local shard does not wait. */
export type Awaitable<T> = T | Promise<T>;

/**
 * The operations of a shard. Each throws what refuses a request, what its files throw, and
 * interrupted once `signal` is aborted.
 */
export interface Shard {
  /** Figures of fields and of terms in this shard, in the order of the request. */
  statistics(request: StatisticsRequest): Awaitable<readonly FieldFigures[]>;
  /** The first documents in the request's order, and the number of matching documents. */
  search(request: ShardSearch, signal?: AbortSignal): Awaitable<ShardHits>;
  /** The documents whose vectors are nearest to one, nearest first. */
  nearest(request: ShardNearest, signal?: AbortSignal): Awaitable<NearDocs>;
  /** Partials of facets and aggregations over all matching documents. */
  aggregate(request: ShardAggregate, signal?: AbortSignal): Awaitable<ShardPartials>;
  /** Terms of a field near to a text, or the counts of given terms. */
  suggest(request: ShardSuggest, signal?: AbortSignal): Awaitable<readonly RankedTerm[]>;
  /** The documents of keys, in the order of the request; null: the shard has none. */
  keys(request: ShardKeys): Awaitable<readonly (KeyedDoc | null)[]>;
  /** Whether and why the document of a key matches. */
  explain(request: ShardExplain, signal?: AbortSignal): Awaitable<ShardExplanation>;
  /** What an answer shows of documents, in the order of the request. */
  fetch(request: ShardFetch, signal?: AbortSignal): Awaitable<readonly FetchedDoc[]>;
}

/** The name of an operation of a shard. */
export type ShardOperation = keyof Shard;

/** Which fields and terms to count. */
export interface StatisticsRequest {
  readonly fields: readonly TermsOfField[];
  /** Count the live documents of this tenant alone. */
  readonly tenant?: string;
}

/** A document of a shard: the number of its segment in the shard, and its number in the segment. */
export interface DocAddress {
  readonly segment: number;
  readonly doc: number;
}

/** The documents that a request is about, and the order of its hits. */
export interface ShardQuery {
  readonly search: CheckedRequest;
  /** Restricts the query to the documents of this tenant. */
  readonly tenant?: string;
  readonly precomputed?: Precomputed;
}

/** Documents that were found before the query runs. */
export interface Precomputed {
  /** They replace the query: the documents of a semantic or hybrid search. */
  readonly whole?: PrecomputedDocs;
  /** Those of the `knn` clauses of the query and of the filter, by what the clauses ask for. */
  readonly query?: readonly NamedDocs[];
  readonly filter?: readonly NamedDocs[];
  /** Those of the filters of aggregations. */
  readonly aggs?: readonly NamedDocs[];
}

/** What was found for the clauses of one name (query/bind/nearest.ts). */
export interface NamedDocs {
  readonly name: string;
  readonly found: PrecomputedDocs | LikedTerms;
}

/** Scored documents of one shard. */
export interface PrecomputedDocs {
  /** What they are, in a few words: `nearest 100 by body_vec`. */
  readonly label: string;
  /** By segment; segments without any are absent. */
  readonly segments: readonly SegmentDocs[];
  /** The words that hits are marked with; null: none. */
  readonly words: MarkedWords | null;
  /** Of the documents of a `knn` clause: the vector that they are near to. */
  readonly near?: NearVector;
}

/** A vector and how many documents near it are taken, as explanations show them. */
export interface NearVector {
  /** Tells it from the other ones of the request. */
  readonly id: string;
  readonly field: string;
  /** null: the model knows no word of the text, and nothing is near it. */
  readonly vector: Float32Array | null;
  readonly k: number;
  readonly min_score?: number;
  /** How this shard's segments were searched for them. */
  readonly searched?: readonly SearchedSegment[];
}

/** How the vectors of a segment were searched. */
export interface SearchedSegment extends SearchChoice {
  readonly segment: number;
}

/** Documents of one segment, rising, with the score of each: 0 or above. */
export interface SegmentDocs {
  readonly segment: number;
  readonly docs: Int32Array;
  readonly scores: Float64Array;
}

/** A text as plain words of TEXT fields. */
export interface MarkedWords {
  readonly text: string;
  /** null: all TEXT fields of the definition. */
  readonly fields: readonly string[] | null;
}

/** A search of one shard. */
export interface ShardSearch {
  readonly query: ShardQuery;
  /**
   * Figures of all shards for the terms that score; null: this shard is the whole index, and the
   * caller has no tenant.
   */
  readonly statistics: readonly FieldFigures[] | null;
  /** Where the page begins; null: at the first hit. */
  readonly after: SearchAfter | null;
  /** Hits, or groups, at most. 0: only the total. */
  readonly limit: number;
  /** So many of the first hits may be left out of the answer: the caller needs those behind them. */
  readonly skip?: number;
  /** false: the total is not needed, and 0 where it costs more than the hits. */
  readonly total: boolean;
  /** Only the groups of these values of the collapse field. */
  readonly groups?: readonly SortValue[];
  readonly time: TimeLeft;
}

/** Hits of one shard in order; segments are numbered as in the shard. */
export interface ShardHits {
  readonly docs: readonly (RankedDoc | CollapsedDoc)[];
  readonly total: number;
  /** First hits that were left out; absent: none. */
  readonly skipped?: number;
}

/** How many of the nearest documents, and how much work to find them. */
export type NearestSettings = Pick<CheckedNearest, 'k' | 'exact' | 'ef' | 'min_score'>;

/** A filter of the contract, with the documents of its `knn` clauses. */
export interface ShardFilter {
  readonly request: SearchRequest;
  readonly precomputed?: readonly NamedDocs[];
}

/** A search for the nearest documents of one shard. */
export interface ShardNearest {
  /** The name of a VECTOR field. */
  readonly field: string;
  readonly vector: Float32Array;
  readonly settings: NearestSettings;
  /** Every document has to match all of them. */
  readonly filters: readonly ShardFilter[];
  readonly tenant?: string;
  /** Answers carry the documents' keys, which order ties between shards. */
  readonly keys: boolean;
  readonly time: TimeLeft;
}

/** A document, how near it is as its field compares, and the score of that. */
export interface NearDoc extends DocAddress {
  readonly similarity: number;
  readonly score: number;
  readonly key?: Uint8Array;
}

/** The documents that are nearest to a vector, and how each segment was searched for them. */
export interface NearDocs {
  readonly docs: readonly NearDoc[];
  readonly searched: readonly SearchedSegment[];
}

/** Which documents to read, and what of them. */
export interface ShardFetch {
  /** The search that found them: its `fields` and its `highlight` say what is read. */
  readonly query: ShardQuery;
  readonly docs: readonly DocAddress[];
  /** Also where each row was in the table when it was indexed. */
  readonly locators: boolean;
  readonly time: TimeLeft;
}

/** What an answer shows of a document. */
export interface FetchedDoc {
  /** Cached fields; absent where none is requested. */
  readonly fields?: JsonObject;
  /** Marked fragments; absent where none are requested. */
  readonly highlight?: Highlight;
  /** null: not requested, or not known. */
  readonly locator: Locator | null;
}

/** A request to explain, and the key of the document. */
export interface ShardExplain {
  readonly query: ShardQuery;
  readonly key: Uint8Array;
  /** The same for all terms of the request. */
  readonly statistics: readonly FieldFigures[] | null;
  /** The filter decides before the query: it restricts which documents are near. */
  readonly byMeaning: boolean;
  /** The arms of a hybrid search, which are explained instead of the query. */
  readonly hybrid?: HybridArms;
  readonly elsewhere: ElsewhereFacts;
  readonly time: TimeLeft;
}

/** What the arms of a hybrid search look for; null: the arm does not take part, or failed. */
export interface HybridArms {
  readonly words: MarkedWords | null;
  readonly near: Pick<NearVector, 'field' | 'vector'> | null;
}

/** Facts of all shards that an explanation may need. */
export interface ElsewhereFacts {
  readonly nearer: readonly NearerDocs[];
  readonly terms: readonly NearestTerm[];
}

/** The documents that are nearest to the vector of a `knn` clause. */
export interface NearerDocs {
  /** `NearVector.id`. */
  readonly id: string;
  /** How many were looked at. */
  readonly count: number;
  /** Rank of the explained document among them, from 1; null: it is behind them. */
  readonly rank: number | null;
  /** Similarity of the last one that the clause takes; null: there is none. */
  readonly last: number | null;
}

/** The term of a field that is nearest to a word; null: no term is near. */
export interface NearestTerm {
  readonly field: string;
  readonly word: string;
  readonly nearest: string | null;
}

/** Facts that an explanation needs and its request lacks. */
export interface ElsewhereNeeds {
  /** `NearVector.id`. */
  readonly nearer: readonly string[];
  readonly terms: readonly Pick<NearestTerm, 'field' | 'word'>[];
}

/** What a shard says of the document of a key. */
export interface ShardExplanation {
  /** null: the shard does not have the key, or the tenant does not. */
  readonly doc: DocAddress | null;
  /** The request has to come again with these facts. */
  readonly needs?: ElsewhereNeeds;
  /** The filter as the user wrote it, and why it does not match where it does not. */
  readonly filter?: { readonly clause: string; readonly why_not?: WhyNot };
  /** The query matches: what its score is made of. */
  readonly detail?: ExplainDetail;
  /** The query does not match. */
  readonly why_not?: WhyNot;
  readonly arms?: ExplainedArms;
}

/** What the arms of a hybrid search say of the document alone. */
export interface ExplainedArms {
  /** null: none of the words is in it, or the arm is not there. */
  readonly words: ExplainDetail | null;
  /** null: it has no vector, or the arm is not there. */
  readonly similarity: number | null;
}

/** What to count over all matching documents. */
export interface SummarySpecs {
  readonly facets?: FacetSpec;
  readonly aggs?: AggSpecs;
}

/** Facets and aggregations of one shard. */
export interface ShardAggregate {
  readonly query: ShardQuery;
  readonly specs: SummarySpecs;
  /** The shard is the whole index: its partials are not merged with others. */
  readonly whole: boolean;
  readonly time: TimeLeft;
}

/** A partial per facet, then per aggregation, and the number of matching documents. */
export interface ShardPartials {
  readonly partials: readonly AggPartial[];
  readonly total: number;
}

/** A request for terms of one shard. */
export interface ShardSuggest {
  /** Field, text and edits of the contract. */
  readonly request: CheckedSuggest;
  /** Terms at most. */
  readonly limit: number;
  /** Count these terms instead, in this order. Absent ones count 0. */
  readonly terms?: readonly Uint8Array[];
  /** The originals of each of these folded values instead, `limit` of each at most. */
  readonly folded?: readonly string[];
  /** Terms that this regular expression matches, instead of those near to the request's text. */
  readonly pattern?: string;
  /** No terms of a field that has more of them in the shard. */
  readonly maxTerms?: number;
  /** Terms and counts are those of this tenant's documents. */
  readonly tenant?: string;
  readonly time: TimeLeft;
}

/** Keys to look up. */
export interface ShardKeys {
  /** Encoded as schema/keys/key.ts says. */
  readonly keys: readonly Uint8Array[];
  /** Only documents of this tenant are found. */
  readonly tenant?: string;
  /** Names of TEXT and KEYWORD fields whose terms are requested. */
  readonly termsOf?: readonly string[];
}

/** A term of a document, and how often it is there. */
export interface CountedTerm {
  readonly term: Uint8Array;
  readonly count: number;
}

/** The live document of a key. */
export interface KeyedDoc {
  /** By field, in the order of `termsOf`; absent: none are requested. */
  readonly terms?: readonly (readonly CountedTerm[])[];
  /** Where its row was in the table when it was indexed; null: not known. */
  readonly locator: Locator | null;
}
