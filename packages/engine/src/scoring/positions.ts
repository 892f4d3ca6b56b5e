/** Positions of a phrase's terms, made ready for the kernels. */
import { describePhrase } from './describe-terms.ts';
import type { PhraseScan } from './kernels.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Describes the active terms as a phrase; returns its scan, without an order and a threshold. */
export function beginPhrase(scorer: SegmentScorer, counting: 0 | 1, weight: number): PhraseScan {
  const { reader, workspace } = scorer;
  scorer.describe();
  describePhrase(reader.arena, scorer.active, scorer.count);
  const scan = workspace.frames.phrase;
  scan.terms = scorer.count;
  scan.lists = scorer.activeLists;
  scan.codesAt = reader.codes.byteOffset;
  scan.widthCodesAt = reader.widthCodes.byteOffset;
  scan.counting = counting;
  scan.weight = weight;
  return scan;
}

/** Makes ready the positions of the list terms of ordered[from .. to): frequencies and bits. */
export function locateHits(scorer: SegmentScorer, from: number, to: number): void {
  const { ordered } = scorer.workspace;
  for (let k = 0; k < scorer.activeLists; k++) {
    const term = scorer.active[k];
    if (term.list !== null) term.locateHits(ordered, from, to);
  }
}
