import type { Coordinates } from '../coordinates.ts';

/** One side of a diff. */
export interface DiffSide {
  /**
   * The newest commit, a commit that a point in time holds, a kept generation, another index, or an
   * index that is built from the table for this diff and removed after it.
   */
  readonly kind: 'live' | 'point_in_time' | 'kept' | 'index' | 'built';
  /** Name of another index. */
  readonly index?: string;
  readonly snapshot: string | null;
  /** Absent if it is built. */
  readonly generation?: number;
  /** Version of the definition. */
  readonly definition_version: number;
  /** Rows of the side; of one that is built: rows to read. */
  readonly rows: number;
  /** Bytes of data files to read, and texts to embed at most. Only of one that is built. */
  readonly bytes?: number;
  readonly texts?: number;
  readonly build_ms?: number;
  /** Hits of the search in all. Absent in a plan. */
  readonly total?: number;
}

/** Where a hit is on one side. Rank 1 is the best. */
export interface DiffPlace {
  /** Absent if it is not reached in the time that one query may take. */
  readonly rank?: number;
  readonly score: number;
}

/** Figures of a clause that changed although the row did not. */
export interface DiffStatistic {
  /** The clause as the user wrote it. */
  readonly clause: string;
  /** Documents with the field: from, to. */
  readonly docs: readonly number[];
  /** Documents with the term (of a phrase: with each word, added up): from, to. */
  readonly df: readonly number[];
  /** Tokens of a document on average: from, to. Empty for KEYWORD fields. */
  readonly average_length: readonly number[];
}

/** Why a hit entered, left or moved. */
export interface DiffCause {
  /**
   * `row_changed`: the row's own part of the score or its match changed with its columns.
   * `statistics`: the row is the same, figures of the whole index are not. `definition`: the same
   * row is indexed or analyzed differently. `others`: match and score are the same, and other hits
   * went before it or left.
   */
  readonly cause:
    | 'row_inserted'
    | 'row_deleted'
    | 'row_changed'
    | 'statistics'
    | 'definition'
    | 'others';
  /** With `row_changed`: the columns that changed, by name. Absent if the table cannot tell. */
  readonly columns?: readonly string[];
  /** With `statistics`. */
  readonly statistics?: readonly DiffStatistic[];
  /** With `others`: up to five hits that went before it (`from` to `to`), or that left. */
  readonly others?: readonly Coordinates[];
}

/** A hit that differs. */
export interface DiffedHit {
  readonly coordinates: Coordinates;
  /** `moved`: rank or score differ. */
  readonly change: 'entered' | 'left' | 'moved';
  /** Absent if the side has no such match. Behind the page, if `change` is `entered`. */
  readonly from?: DiffPlace;
  readonly to?: DiffPlace;
  /** The main cause first. */
  readonly causes: readonly DiffCause[];
}

/** `POST /v1/index:diff`. */
export interface DiffResponse {
  readonly index: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
  /** Hits of both pages that are equal in rank and score. */
  readonly same: number;
  /** Entered and moved by their new rank, then left by their former rank. */
  readonly hits: readonly DiffedHit[];
  readonly notes: readonly string[];
  readonly took_ms: number;
}
