/**
 * The objects of one bucket, or the files of one folder, by key (`a/b/c`). Objects become visible
 * whole. Implementations: S3 (s3-store.ts) and a local folder (folder-store.ts). Missing objects
 * are results; everything else that goes wrong is a LakeError: permission_denied,
 * storage_unreachable, invalid_argument (wrong region), table_not_found (no such bucket), internal.
 */
export interface ObjectStore {
  /** Size and version of an object, or null if there is none. */
  head(key: string, signal?: AbortSignal): Promise<ObjectInfo | null>;
  /**
   * Bytes of an object; all of them without a range. `missing` if there is no such object,
   * `changed` if it no longer has the version `etag` of the options.
   */
  get(key: string, options?: GetOptions): Promise<GotObject | 'missing' | 'changed'>;
  /**
   * Creates or replaces an object; large bodies travel in parts. Returns the object, or `refused`
   * if the condition does not hold.
   */
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<ObjectInfo | 'refused'>;
  /** The objects whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectInfo>;
  /** Deletes objects; missing ones are no fault. */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Removes what writes of ended processes left. It was never visible. */
  sweep(signal?: AbortSignal): Promise<void>;
}

/** An object without its bytes. */
export interface ObjectInfo {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Names this version of the object. */
  readonly etag: string;
}

/** What a listing leaves out. */
export interface ListOptions {
  /** Keys with a slash after the prefix are summed up as one entry that ends in this slash. */
  readonly oneLevel?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes from `offset` on, or the last `suffix` bytes. */
export type ByteSpan =
  | { readonly offset: number; readonly length: number }
  | { readonly suffix: number };

/** What is read of an object. */
export interface GetOptions {
  readonly span?: ByteSpan;
  /** Only this version. */
  readonly etag?: string;
  /** Most bytes to take. More are limit_exceeded. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes of an object, which begin at `offset`. `size` is that of the whole object. */
export interface GotObject extends ObjectInfo {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Bytes that are read when they are sent, again if they are sent again. */
export interface ObjectParts {
  readonly size: number;
  /** `length` bytes from `offset` on. Throws what ends the write. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** What is written: bytes, or a local file, or bytes that are read in parts. */
export type ObjectBody = Uint8Array | { readonly file: string } | ObjectParts;

/**
 * Under which condition an object is written: it is absent, or it has this version. A folder
 * compares versions before it writes: there, only one process may replace an object.
 */
export interface PutOptions {
  readonly condition?: 'absent' | { readonly etag: string };
  readonly signal?: AbortSignal | undefined;
}
