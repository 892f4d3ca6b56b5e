import type { FixedVectors } from '../base/fixed-vector.ts';

/** The name of the model that comes with lhs. */
export const DEFAULT_MODEL = 'default';

/** How many numbers its vectors have: known before it is opened. */
export const DEFAULT_MODEL_DIMS = 384;

/** Texts in UTF-8, one behind the other: text i = bytes[offsets[i] .. offsets[i + 1]). */
export interface Texts {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/** Strings as texts in UTF-8. */
export function textsOf(list: readonly string[]): Texts {
  const parts = list.map((text) => Buffer.from(text));
  const offsets = new Int32Array(list.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  return { offsets, bytes: Buffer.concat(parts) };
}

/** Which model made a vector: two models with one checksum give the same vectors. */
export interface ModelIdentity {
  /** `default`, or the folder as the definition names it. */
  readonly name: string;
  /** SHA-256 over all that the vectors depend on, hexadecimal. */
  readonly checksum: string;
  readonly dims: number;
}

/** What a thread needs to open a static model: plain values. */
export interface ModelSource {
  readonly folder: string;
  /** What the definition calls it. */
  readonly name: string;
  /** A file that remembers which files were found whole. */
  readonly remembered?: string | undefined;
}

/** A model that is open. */
export interface Embedder {
  readonly identity: ModelIdentity;
  /** Where another thread can open the same model. Absent: it cannot. */
  readonly source?: ModelSource;
  /**
   * One vector a text, row-major, `dims` floats each, of length 1. All zeros where the text has
   * nothing that the model knows: no vector then. The same text gives the same vector, alone and in
   * any company. Throws model_unavailable where a number is not finite.
   */
  embed(texts: Texts): Promise<Float32Array>;
  /**
   * As `embed`, in fixed point, while the caller's thread goes on. Null: `embed` takes less for so
   * few texts. Absent: the model has no threads.
   */
  embedFixed?(texts: Texts): Promise<FixedVectors> | null;
  /**
   * As `embed`, rounded to fixed point, in the caller's thread. Absent: the model has no faster way
   * than `embed` and `fixVectors`.
   */
  fixedHere?(texts: Texts): Promise<FixedVectors>;
  /** Whether a word is in the model's vocabulary as a whole. Absent: the model cannot tell. */
  hasWord?(word: string): boolean;
  /** Texts that take about a second: the batch of a caller that can stop. Absent: thousands. */
  readonly portion?: number;
  close(): Promise<void>;
}

/** Opens a model by its name in a definition; relative folders are taken from `from`. */
export type OpenEmbedder = (model: string, from: string) => Promise<Embedder>;
