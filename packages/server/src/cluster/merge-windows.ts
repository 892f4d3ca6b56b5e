/** Merges of responses about windows. */
import type {
  MoveWindowsResponse,
  ReindexWindowResponse,
  WindowStatus,
} from '@lakehouse-search/contract';
import { mergeWindows } from './merge-descriptions.ts';
import { distinct, first, largest, type Merge, members, sum } from './merge-members.ts';

export const mergeWindowStatus = members<WindowStatus>({
  index: first,
  field: first,
  every: first,
  windows: mergeWindows,
  cache: members<WindowStatus['cache']>({
    hits: sum,
    misses: sum,
    bytes_read: sum,
    bytes: sum,
    limit_bytes: sum,
  }),
});

const names: Merge<readonly string[]> = (lists) => distinct(lists).toSorted();

export const mergeMoved = members<MoveWindowsResponse>({
  index: first,
  cooled: names,
  warmed: names,
  bytes_copied: sum,
  objects_removed: sum,
  took_ms: largest,
});

export const mergeReindexedWindow = members<ReindexWindowResponse>({
  window: first,
  doc_count: sum,
  snapshot: first,
  took_ms: largest,
});
