import type { ExplainDetail } from '@lakehouse-search/contract';
import type { Deadline } from '../../base/time/deadline.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { TermAutomaton } from '../automaton/automaton.ts';
import type { Clause, PhraseWord } from '../bind/clause.ts';
import type { BoundVector } from '../bind/precomputed.ts';
import type { SegmentLeaf } from '../weight/leaf.ts';
import type { SegmentNode } from '../weight/segment-node.ts';
import type { SnapshotStatistics } from '../weight/statistics.ts';

/** The bound clause of a kind. */
export type ClauseOf<Kind extends Clause['kind']> = Extract<Clause, { readonly kind: Kind }>;

/** The segment that a clause is opened on. */
export interface ClauseScope {
  readonly reader: SegmentReader;
  /** null: nothing is scored. */
  readonly statistics: SnapshotStatistics | null;
  /** Leaves throw limit_exceeded once it has passed. */
  readonly deadline: Deadline;
}

/** The document that an explanation is about. */
export interface ExplainedDoc {
  readonly reader: SegmentReader;
  /** Its number in the segment. */
  readonly doc: number;
  /** Those that a search scores by. */
  readonly statistics: SnapshotStatistics;
  /** The caller has a tenant: no figure of other documents is shown. */
  readonly guarded: boolean;
  /** How near the document is to a vector, in words. */
  readonly nearWords: (near: BoundVector) => string;
}

/** Receives what a clause looks for in the dictionary of its field. */
export interface TermVisitor {
  /** A term by itself. */
  word(term: Uint8Array): void;
  phrase(words: readonly PhraseWord[], slop: number): void;
  /** Words, and after them one that begins with the term of `last`. */
  openPhrase(words: readonly PhraseWord[], last: PhraseWord): void;
  prefix(prefix: Uint8Array): void;
  pattern(automaton: TermAutomaton): void;
}

interface CommonModule<C extends Clause> {
  /**
   * Clauses of this kind and field have the same text only if they match the same documents of a
   * segment; boosts leave no trace in it. null: the matches are never requested again.
   */
  key(clause: C, keyOf: (part: Clause) => string): string | null;
}

/** A kind of clause without parts. */
export interface LeafModule<C extends Clause> extends CommonModule<C> {
  /** Matches, scores, and the test of one document. */
  leaf(clause: C, scope: ClauseScope): SegmentLeaf;
  /** What it looks for in the dictionary; absent: nothing. */
  terms?(clause: C, visitor: TermVisitor): void;
  /** Scores depend on the statistics of its words. */
  readonly scoresWords?: true;
  /** Demands what it reads of a cold segment beside the postings of its terms; absent: nothing. */
  demand?(clause: C, segment: SegmentReader): void;
  /** Name of the clause as part of another. */
  partName?(clause: C): string;
  /**
   * The explanation of a match, named `name`; null: the document does not match. Absent: the score
   * is the boost.
   */
  explain?(clause: C, doc: ExplainedDoc, name: string): ExplainDetail | null;
  /** The clause whose terms are marked in hits, instead of its own terms. */
  marked?(clause: C): Clause | null;
}

/** The parts of a clause. */
export interface ClauseParts {
  /** Matches may be due to them, and their scores make up the score. */
  readonly scoring: readonly Clause[];
  /** Matches may be due to them, but they do not score. */
  readonly silent?: readonly Clause[];
  readonly negative?: readonly Clause[];
}

/** A kind of clause that is made of clauses. */
export interface CompoundModule<C extends Clause> extends CommonModule<C> {
  parts(clause: C): ClauseParts;
  /** The same matches and scores with fewer nodes. */
  rewrite(clause: C, rewrite: (part: Clause) => Clause): Clause;
  /** The clause over a segment; `open` opens a part, for scores or for matches alone. */
  node(
    clause: C,
    open: (part: Clause, scored: boolean) => SegmentNode,
    scope: ClauseScope,
  ): SegmentNode;
  /** The explanation of a match; `explain` explains a part, and names it after `name`. */
  explain(clause: C, name: string, explain: ExplainPart): ExplainDetail | null;
}

/** Explains part number `at` of a list; null: under the name of the whole clause. */
export type ExplainPart = (part: Clause, at: number | null) => ExplainDetail | null;

/** Everything that depends on the kind of a bound clause. */
export type ClauseModule<C extends Clause> = LeafModule<C> | CompoundModule<C>;
