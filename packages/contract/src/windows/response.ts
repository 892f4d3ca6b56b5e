import type { WindowList } from '../window-description.ts';

/** `GET /v1/cold`: the windows of an index with their tiers. */
export interface WindowStatus extends WindowList {
  readonly index: string;
  /** The blocks of cold windows that this process has read, since it began. */
  readonly cache: {
    /** Demands of bytes that were in memory. */
    readonly hits: number;
    /** Blocks that were not. */
    readonly misses: number;
    /** Bytes that were read from object stores. The others came from the cache on disk. */
    readonly bytes_read: number;
    /** Bytes in memory now. */
    readonly bytes: number;
    /** Bytes in memory at most, while no search runs. */
    readonly limit_bytes: number;
  };
}

/** What moving windows between the tiers did. */
export interface MoveWindowsResponse {
  readonly index: string;
  /** Windows that are cold now and had hot files before. */
  readonly cooled: readonly string[];
  /** Windows that are hot now and were cold. */
  readonly warmed: readonly string[];
  readonly bytes_copied: number;
  /** Objects that nothing needs any more. */
  readonly objects_removed: number;
  readonly took_ms: number;
}

/** What building a window again did. */
export interface ReindexWindowResponse {
  readonly window: string;
  /** Documents of the window. */
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly took_ms: number;
}
