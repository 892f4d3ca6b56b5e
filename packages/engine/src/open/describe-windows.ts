import { LhsError, type WindowDescription, type WindowList } from '@lakehouse-search/contract';
import { hasCold } from '../index/cold-segments.ts';
import {
  compareWindows,
  type WindowLayout,
  type WindowStart,
  windowDays,
  windowName,
} from '../schema/windows.ts';
import { segmentBytes } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { OpenIndex } from './open-index.ts';

/** The windows of an open index; null: it has none. */
export function describeWindows({ snapshot, mapping }: OpenIndex): WindowList | null {
  const { windows: layout } = snapshot.commit;
  if (layout === undefined) return null;
  const segments = Map.groupBy(snapshot.segments, ({ entry }) => entry.window ?? null);
  const field = mapping.fields.find(({ plan }) => plan.id === layout.field);
  const windows = [...segments]
    .sort(([a], [b]) => compareWindows(a, b))
    .map(([window, own]) => describeWindow(window, own, layout));
  return { field: field?.plan.name ?? '', every: layout.every, windows };
}

function describeWindow(
  window: WindowStart,
  segments: readonly SegmentReader[],
  { every }: WindowLayout,
): WindowDescription {
  const sum = (of: (segment: SegmentReader) => number) =>
    segments.reduce((total, segment) => total + of(segment), 0);
  return {
    window: windowName(window, every),
    ...windowDays(window, every),
    num_docs: sum(({ liveDocs }) => liveDocs),
    deleted_docs: sum(({ deletedDocs }) => deletedDocs),
    segments: segments.length,
    bytes: sum(({ entry }) => segmentBytes(entry)),
    ...tierOf(segments),
  };
}

function tierOf(segments: readonly SegmentReader[]) {
  if (!hasCold(segments)) return { tier: 'hot' } as const;
  const components = segments.flatMap(({ entry }) => entry.components);
  const local_bytes = components.reduce((sum, { length, resident = length }) => sum + resident, 0);
  return { tier: 'cold', local_bytes } as const;
}

/** The windows of an open index. Throws not_found if it has none. */
export function requireWindows(open: OpenIndex): WindowList {
  const windows = describeWindows(open);
  if (windows !== null) return windows;
  const { index } = open.mapping.definition;
  throw new LhsError('not_found', `index "${index}" has no windows`, {
    hint: 'a definition with the block "windows", and a reindex, cut it into windows',
    next: [{ step: 'describe_index', index }],
  });
}

/** The window of a name. Throws not_found. */
export function findWindow(
  name: string,
  { windows: layout, segments }: OpenIndex['snapshot']['commit'],
  index: string,
): WindowStart {
  if (layout !== undefined) {
    const starts = segments.map(({ window }) => window ?? null);
    const found = starts.find((start) => windowName(start, layout.every) === name);
    if (found !== undefined) return found;
  }
  throw new LhsError('not_found', `index "${index}" has no window "${name.slice(0, 64)}"`, {
    hint: 'the description of the index lists its windows',
    next: [{ step: 'describe_index', index }],
  });
}
