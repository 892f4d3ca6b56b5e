import type { WindowList } from '../window-description.ts';

/** `GET /v1/cold`: the windows of an index. */
export interface WindowStatus extends WindowList {
  readonly index: string;
}

/** What building a window again did. */
export interface ReindexWindowResponse {
  readonly window: string;
  /** Documents of the window. */
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly took_ms: number;
}
