import { type ComponentKind, componentName } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { fetchDemanded } from '../storage/cold-cache.ts';
import { collectDemands } from '../storage/cold-file.ts';

/** Whether some of the segments are cold. */
export const hasCold = (segments: readonly SegmentReader[]): boolean =>
  segments.some(({ isCold }) => isCold);

/**
 * Fetches the cold files of segments, of these kinds or all; the caller holds cold bytes
 * (storage/cold-cache.ts). Throws what the store throws.
 */
export async function fetchColdFiles(
  segments: readonly SegmentReader[],
  kinds?: ReadonlySet<ComponentKind>,
): Promise<void> {
  collectDemands(() => {
    for (const segment of segments) {
      if (!segment.isCold) continue;
      for (const component of segment.entry.components) {
        if (kinds?.has(component.kind) !== false) segment.demandFiles(componentName(component));
      }
    }
  });
  await fetchDemanded();
}
