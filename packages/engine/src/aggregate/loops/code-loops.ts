/**
 * Copies of the codes of whole columns. Each element type has a function: a loop over several kinds
 * of typed arrays is several times slower.
 */

/** Codes of a column with one value a document: ordinals + 1, or multiples over a base. */
export type Codes = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** What the codes of some documents come to; the bounds mean nothing where there is none. */
export interface CodeSums {
  readonly count: number;
  readonly sum: bigint;
  readonly min: number;
  readonly max: number;
}

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
