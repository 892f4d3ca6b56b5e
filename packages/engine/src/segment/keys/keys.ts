/** The keys of a segment, in whichever format they are stored. Not for two threads at once. */
export interface SegmentKeys {
  readonly docs: number;
  /**
   * By document: rank of its key among the segment's keys in byte order. Equal scores are ordered
   * by it. Null if the keys ascend with the documents: each rank is the document's number.
   */
  readonly ranks: Int32Array | null;
  /** Keys are fetched on demand, and nothing derived from all of them is cached. Default: local. */
  readonly isCold?: boolean;
  /** Demands where the keys of documents are, if these are fetched on demand. */
  demandPlaces?(): void;
  /** Documents that `find` and `findAll` leave out. */
  hide(deleted: Int32Array | null): void;
  /** The live document with this key (schema/keys/key.ts), or -1. */
  find(key: Uint8Array): number;
  /** False: no document has a key of this hash (base/bytes/hash-bytes.ts), deleted ones included. */
  mayHave(hash: number): boolean;
  /** As `find`, for the key source[from .. to) and its hash (base/bytes/hash-bytes.ts). */
  findHashed(hash: number, source: Uint8Array, from: number, to: number): number;
  /** Live documents with this key, ascending; there is at most one in a sound index. */
  findAll(key: Uint8Array): readonly number[];
  /** True if the document's key is source[from .. to). Cheap for documents in ascending order. */
  isKey(doc: number, source: Uint8Array, from: number, to: number): boolean;
  /** A copy of a document's key. */
  key(doc: number): Uint8Array;
  /** Rank of the document's key among the segment's keys. */
  rank(doc: number): number;
  /**
   * Calls `visit` with each key in document order, deleted documents too, or with those of the
   * documents from .. to - 1; the bytes are valid only during the call.
   */
  forEach(
    visit: (bytes: Uint8Array, length: number, doc: number) => void,
    from?: number,
    to?: number,
  ): void;
}
