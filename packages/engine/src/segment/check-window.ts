import type { NumericColumn } from '../columnar/numeric-column.ts';
import { type WindowLayout, windowName, windowRange } from '../schema/windows.ts';
import type { ReportProblem } from './keys/check-keys.ts';
import type { SegmentReader } from './segment-reader.ts';

/** Checks that a segment has only documents with a date in its window. */
export function checkWindow(
  { entry: { window }, docs }: Pick<SegmentReader, 'entry' | 'docs'>,
  dates: NumericColumn,
  { every }: WindowLayout,
  report: ReportProblem,
): void {
  const component = 'window';
  if (window === undefined) {
    report(component, 'the segment has none, and the commit has windows');
    return;
  }
  const range = window === null ? null : windowRange(window, every);
  for (let doc = 0; doc < docs; doc++) {
    const has = dates.has(doc);
    const value = has ? dates.minAt(doc) : 0n;
    const inside =
      range === null ? !has : has && value >= range.lower && dates.maxAt(doc) <= range.upper;
    if (!inside) report(component, `document ${doc} is not of ${windowName(window, every)}`);
  }
}
