/** The codes of some documents; a loop for each element type, as everywhere over columns. */
import type { Codes } from './loops.ts';

/** The codes of docs[0 .. count), one value a document, to `out`. */
export function takeCodes(codes: Codes, docs: Int32Array, count: number, out: Taken): void {
  if (codes instanceof Uint8Array) take8(codes, docs, count, out);
  else if (codes instanceof Uint16Array) take16(codes, docs, count, out);
  else take32(codes, docs, count, out);
}

/** Unsigned codes of 32 bits stay what they are in a double. */
type Taken = Int32Array | Float64Array;

function take8(codes: Uint8Array, docs: Int32Array, count: number, out: Taken): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}

function take16(codes: Uint16Array, docs: Int32Array, count: number, out: Taken): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}

function take32(
  codes: Uint32Array | Int32Array,
  docs: Int32Array,
  count: number,
  out: Taken,
): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}
