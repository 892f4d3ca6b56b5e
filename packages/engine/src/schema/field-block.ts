import type { HashSet } from './hash-set.ts';

/**
 * Values of one field for a run of documents, column by column: document i holds values starts[i]
 * .. starts[i + 1). Every field of every type may have none, one or several values in a document.
 */
export type FieldBlock =
  | {
      /**
       * TEXT, KEYWORD, IP (16 bytes a value, IPv4 mapped): value j = bytes[offsets[j] .. offsets[j
       * + 1]).
       */
      readonly kind: 'bytes';
      readonly starts: Int32Array;
      readonly offsets: Int32Array;
      readonly bytes: Uint8Array;
    }
  | {
      /** LONG, DATE (µs since 1970), BOOL (0, 1). */
      readonly kind: 'long';
      readonly starts: Int32Array;
      readonly values: BigInt64Array;
    }
  | { readonly kind: 'double'; readonly starts: Int32Array; readonly values: Float64Array }
  | {
      /**
       * VECTOR, at most one a document: component c of value j = scales[j] * codes[j * dims + c]
       * (base/fixed-vector.ts).
       */
      readonly kind: 'vector';
      readonly starts: Int32Array;
      readonly dims: number;
      readonly scales: Float32Array;
      readonly codes: Int16Array;
    };

/** A run of documents on their way into a segment. */
export interface DocumentBlock {
  readonly docs: number;
  /** Encoded keys (schema/keys/key.ts): key i = keyBytes[keyOffsets[i] .. keyOffsets[i + 1]). */
  readonly keyOffsets: Int32Array;
  readonly keyBytes: Uint8Array;
  /** Number of the data file in the commit's file table, and row ordinal in it. */
  readonly files: Int32Array;
  readonly positions: Int32Array;
  /** 64-bit row hashes. */
  readonly hashes: BigUint64Array;
  /** The columns that the row hashes cover; absent: not recorded. */
  readonly hashed?: HashSet;
  /**
   * By field name, variant catch-alls and path terms included. A field that is absent has no value
   * in these documents.
   */
  readonly fields: ReadonlyMap<string, FieldBlock>;
}
