/**
 * Cold segments with an erased row: they are fetched, rewritten as hot ones, and the new segments
 * are moved to the same store. Their former objects go with `sweepObjects`. If it is stopped in
 * between, the new segments stay hot until their window is cooled again. Both copies report bytes.
 */
import { readCommit } from '../index/commits/commit.ts';
import { coolSegments, copyFigures, warmSegments } from '../tier/move-window.ts';
import { holdsKey, type RewriteRequest, rewriteSegments } from './rewrite-segments.ts';

/** As `rewriteSegments`, of segments in both tiers. Throws what the store throws, too. */
export async function rewriteBothTiers(request: RewriteRequest): Promise<number> {
  const { directory, signal } = request;
  const segments = readCommit(directory)?.segments ?? [];
  const cold = segments.filter((entry) => entry.cold !== undefined && holdsKey(request, entry));
  if (cold.length === 0) return rewriteSegments(request);
  await warmSegments({ directory, signal, ...copyFigures(cold, request) }, cold);
  const former = new Set(segments.map(({ id }) => id));
  const rewritten = await rewriteSegments(request);
  const fresh = readCommit(directory)?.segments.filter(({ id }) => !former.has(id)) ?? [];
  const back = [...windowsOf(cold)].map(({ window, cold: place }) => {
    return { place: place!, entries: fresh.filter((entry) => entry.window === window) };
  });
  const figures = copyFigures(
    back.flatMap(({ entries }) => entries),
    request,
  );
  for (const { place, entries } of back) {
    if (entries.length > 0) await coolSegments({ directory, signal, ...figures }, entries, place);
  }
  return rewritten;
}

/** One segment of each window. */
const windowsOf = (segments: Parameters<typeof warmSegments>[1]) =>
  new Map(segments.map((entry) => [entry.window, entry])).values();
