import type { ObjectStore } from './object-store.ts';
import type { Environment, S3Config, VendedSettings } from './s3/s3-settings.ts';

/** What decides how object stores are reached. */
export interface FileAccess {
  readonly s3?: S3Config | undefined;
  readonly env?: Environment | undefined;
  /** Settings that a catalog sent for the table. */
  readonly vended?: VendedSettings | null;
}

/** The buckets of one kind of store. */
export interface Buckets {
  /** The endpoint as messages show it. */
  readonly endpoint: string;
  /** The objects of a bucket whose keys begin with `prefix` (empty, or ending in a slash). */
  bucket(name: string, prefix?: string): ObjectStore;
}
