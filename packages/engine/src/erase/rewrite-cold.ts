/**
 * Cold segments with an erased row: they are fetched, rewritten as hot ones and published, then the
 * new segments are cooled. If it is stopped in between, or their generation is not the live one,
 * the new segments stay hot until their window is cooled again.
 */
import { coolSegments, fetchFigures, warmSegments } from '../home/windows/move-window.ts';
import { readCommit } from '../index/commits/commit.ts';
import type { FindStored } from '../segment/cool.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { holdsKey, type RewriteRequest, rewriteSegments } from './rewrite-segments.ts';

/** A generation to rewrite; `find`: where it is published. */
interface TieredRequest extends RewriteRequest {
  readonly find?: FindStored | undefined;
  /** Places that the run empties. */
  readonly left: ReadonlySet<string>;
}

/** As `rewriteSegments`, of segments in both tiers. Throws what the store throws, too. */
export async function rewriteBothTiers(request: TieredRequest): Promise<number> {
  const { directory, signal, find, left } = request;
  const segments = readCommit(directory)?.segments ?? [];
  const isLeft = ({ place }: NonNullable<SegmentEntry['cold']>) =>
    find === undefined && left.has(place);
  const cold = segments.filter(
    (entry) => entry.cold !== undefined && (isLeft(entry.cold) || holdsKey(request, entry)),
  );
  if (cold.length === 0) return rewriteSegments(request);
  await warmSegments(directory, cold, { signal, ...fetchFigures(cold, request) });
  const former = new Set(segments.map(({ id }) => id));
  const rewritten = await rewriteSegments(request);
  const windows = new Set(cold.map(({ window }) => window));
  const back = readCommit(directory)?.segments.filter(
    ({ id, window }) => !former.has(id) && windows.has(window),
  );
  if (find !== undefined && back !== undefined) await coolSegments(directory, back, find);
  return rewritten;
}
