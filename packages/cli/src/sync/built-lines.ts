import type { ReindexResponse } from '@lakehouse-search/contract';
import { bytes, count, duration, rate, snapshotName } from '../terminal/figures.ts';
import { skippedLines, vectorLines } from './step-lines.ts';

/** What a build did, in lines for people. */
export function builtLines(index: string, done: ReindexResponse, next: string): readonly string[] {
  const perSecond = rate((done.doc_count / Math.max(1, done.took_ms)) * 1000);
  const snapshot =
    done.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(done.snapshot)}`;
  const lines = [
    `${index}  built     ${count(done.doc_count)} rows in ` +
      `${duration(done.took_ms)} (${perSecond} rows/s)` +
      ` · ${bytes(done.bytes)} · generation ${done.index_generation} live · ${snapshot}`,
  ];
  if (done.resumed_docs)
    lines.push(`${count(done.resumed_docs)} rows were there from the build before`);
  if (done.dropped_duplicates)
    lines.push(`${count(done.dropped_duplicates)} rows with a key that came again were left out`);
  lines.push(...skippedLines(done), ...vectorLines(done));
  return [...lines, `next: ${next}`];
}
