import { writeBestDocs } from './best-docs.ts';
import { type EncodeContext, encodeDense } from './encode-dense.ts';
import { BEST, DENSE, LIST, LIST_BLOCK, RECORD, RECORD_WORDS } from './format.ts';
import { encodeList } from './list-terms.ts';
import type { TermPostings } from './postings-buffer.ts';
import { setBest } from './postings-kernel.ts';

/**
 * Writes the postings of a dense (`dense`) or list term; returns its record. Kept in the record:
 * where its parts begin, its best and tenth best impact.
 */
export function encodeBig(
  postings: TermPostings,
  context: EncodeContext,
  dense: boolean,
): Int32Array {
  const { output } = context;
  output.room(64);
  output.align();
  const start = output.length;
  const record = new Int32Array(RECORD_WORDS);
  record[RECORD.df] = postings.df;
  record[RECORD.start] = start >> 2;
  context.best.fill(0);
  if (dense) {
    const parts = encodeDense(postings, context);
    record[RECORD.kind] = DENSE;
    record[RECORD.payload] = parts.payload;
    record[RECORD.wide] = parts.wide ? 1 : 0;
  } else {
    const parts = encodeList(postings, context);
    record[RECORD.kind] = LIST;
    record[RECORD.payload] = parts.data;
    record[RECORD.positions] = parts.positions;
    record[RECORD.blocks] = parts.blocks;
  }
  if (context.text) setBest(record, context.best);
  if (context.bestDocs) writeBestDocs(postings, context);
  record[RECORD.bytes] = output.length - start;
  return record;
}

/** Scratch of an encoder: what `EncodeContext` asks for. */
export const encodeScratch = (): Pick<EncodeContext, 'deltas' | 'best'> => ({
  deltas: new Int32Array(LIST_BLOCK),
  best: new Float64Array(BEST),
});
