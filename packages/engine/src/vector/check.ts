/** The full check of a field's vectors: what is said twice, against each other. */
import { lengthsOf } from './format.ts';
import type { VectorReader } from './vector-reader.ts';

/** Reads every vector; `report` is told what does not fit. */
export function checkVectors(reader: VectorReader, report: (problem: string) => void): void {
  let last = -1;
  for (let slot = 0; slot < reader.count; slot++) {
    const doc = reader.docAt(slot);
    if (doc <= last || doc >= reader.docs) report(`vector ${slot} is of document ${doc}`);
    else if (reader.slotOf(doc) !== slot) report(`presence of document ${doc}`);
    last = doc;
    checkVector(reader, slot, report);
  }
  const end = reader.docOf === null ? reader.docs : (reader.docs + 255) & -256;
  let present = 0;
  for (let doc = 0; doc < end; doc++) if (reader.has(doc)) present++;
  if (present !== reader.count) report(`${present} vectors, expected ${reader.count}`);
}

function checkVector(reader: VectorReader, slot: number, report: (problem: string) => void): void {
  const { dims, headRow, tailRow, row, head, tail, low } = reader;
  const { norm, rest, tail: last } = lengthsOf(reader.codes(slot), 0, dims);
  if (norm !== reader.norms[slot]) report(`norm of vector ${slot}`);
  if (rest !== reader.rests[slot]) report(`rest of vector ${slot}`);
  if (tailRow > 0 && last !== reader.tails[slot]) report(`tail of vector ${slot}`);
  let padding = 0;
  for (let c = dims; c < row; c++) {
    padding |= low[slot * row + c];
    padding |= tailRow > 0 ? tail[slot * tailRow + c - headRow] : head[slot * headRow + c];
  }
  if (padding !== 0) report(`vector ${slot} goes on behind its dimensions`);
  const scale = reader.scales[slot];
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) report(`scale of vector ${slot}`);
}
