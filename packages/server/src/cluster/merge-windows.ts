/** Merges of responses about windows. */
import type {
  MoveWindowsResponse,
  ReindexWindowResponse,
  WindowStatus,
} from '@lakehouse-search/contract';
import { mergeWindows } from './merge-descriptions.ts';
import { distinct, each, first, largest, type Merge, members, sum } from './merge-members.ts';

export const mergeWindowStatus = members<WindowStatus>({
  ...each(first, 'index', 'field', 'every'),
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
  ...each(sum, 'bytes_copied', 'objects_removed'),
  index: first,
  took_ms: largest,
  cooled: names,
  warmed: names,
});

export const mergeReindexedWindow = members<ReindexWindowResponse>({
  ...each(first, 'window', 'snapshot'),
  doc_count: sum,
  took_ms: largest,
});
