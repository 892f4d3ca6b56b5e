import type { Deadline } from '../base/time/deadline.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import type { TermInfo } from '../postings/term-info.ts';
import { type FieldStatistics, fieldStatistics } from './field-statistics.ts';

/**
 * What the terms of a search have to do: stand in a document at all, any, all, or one after
 * another.
 */
export type TermMode = 'term' | 'or' | 'and' | 'phrase';

/** A term of a search. */
export interface QueryTerm {
  readonly bytes: Uint8Array;
  /** Factor of its idf. A phrase has the sum of its terms' weights. */
  readonly boost: number;
  /** Phrases: its position, counted from the first term's. */
  readonly position: number;
}

/** A segment that has the field. */
export interface ScoringSegment {
  /** Its name in what `TopDocs` keeps. */
  readonly number: number;
  readonly reader: InvertedReader;
  /**
   * Documents that may not match (deleted, or outside a filter), a bitmap of whole ranges of 256;
   * null: none.
   */
  readonly blocked: Int32Array | null;
  /** Order of the keys by document; null: keys rise as documents do. */
  readonly ranks: Int32Array | null;
  /** The documents in that order; absent: it is costly, or theirs. */
  readonly byRank?: () => Int32Array;
  /**
   * Living documents by term, counted when first asked for. Given where `blocked` is the same from
   * search to search (deletes, no filter), and kept by the caller as long as that is so.
   */
  readonly living: Map<number, number> | null;
}

/** A search over one field. */
export interface TermSearch {
  readonly mode: TermMode;
  /** At least one. `term` takes the first. */
  readonly terms: readonly QueryTerm[];
  readonly segments: readonly ScoringSegment[];
  /**
   * Of the field in the whole index, deleted documents included; taken from the segments where it
   * is absent.
   */
  readonly statistics?: TermStatistics;
  /** When it has to be done; absent: it may take any time. */
  readonly deadline?: Deadline;
}

/** What weighs the terms of a search. */
export interface TermStatistics {
  readonly field: FieldStatistics;
  /** Documents that hold a term, by its place in `terms`. */
  readonly frequencies: readonly number[];
}

/** The terms in a segment, by their places in the search; null where it does not have one. */
export type SegmentTerms = readonly (TermInfo | null)[];

/** Looks terms up in a segment. */
export function lookUpTerms(terms: readonly QueryTerm[], { reader }: ScoringSegment): SegmentTerms {
  const found: (TermInfo | null)[] = [];
  for (const term of terms) found.push(reader.lookup(term.bytes));
  return found;
}

/** Statistics of the segments themselves. `found`: their terms. */
export function gatherStatistics(
  segments: readonly ScoringSegment[],
  found: readonly SegmentTerms[],
  terms: number,
): TermStatistics {
  let docs = 0;
  let tokens = 0;
  const frequencies: number[] = [];
  for (let i = 0; i < terms; i++) {
    let df = 0;
    for (const infos of found) df += infos[i]?.df ?? 0;
    frequencies.push(df);
  }
  for (const { reader } of segments) {
    docs += reader.docsWithField;
    tokens += reader.tokens;
  }
  return { field: fieldStatistics(docs, tokens), frequencies };
}
