import { LakeError } from './errors.ts';

/** The schemes of tables on S3, Google Cloud, Azure, HDFS and similar stores. */
const SCHEMES =
  /^(s3[an]?|gs|gcs|az|azure|adl|abfss?|wasbs?|hdfs|viewfs|webhdfs|ofs|o3fs|oss|obs|cosn?|oci|swift):\/\//i;

/** Whether a path names a place on object storage: `s3://…`, `hdfs://…`. */
export function isObjectStorage(path: string): boolean {
  return SCHEMES.test(path);
}

/** Whether a path names a place on S3: `s3://…`, `s3a://…`, `s3n://…`. */
export function isS3(path: string): boolean {
  return /^s3[an]?:\/\//i.test(path);
}

/** An object of S3, or all objects whose keys begin with `key` (without a slash at its end). */
export interface S3Address {
  readonly bucket: string;
  readonly key: string;
}

/** Bucket and key of `s3://bucket/key`. Throws invalid_argument. */
export function s3Address(path: string): S3Address {
  const [, bucket, key] = /^s3[an]?:\/\/([^/]*)\/?(.*)$/is.exec(path) ?? [];
  if (bucket !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(bucket)) {
    return { bucket, key: key ?? '' };
  }
  throw new LakeError(
    'invalid_argument',
    `"${path.slice(0, 300)}" is not of the form s3://bucket/key`,
    { file: path },
  );
}

/** Throws unsupported for a path on an object store other than S3. */
export function refuseOtherStores(path: string): void {
  if (!isObjectStorage(path) || isS3(path)) return;
  throw new LakeError(
    'unsupported',
    `"${path.slice(0, 300)}" lies on a store that cannot be read: ` +
      'tables may lie on local folders and on s3:// ' +
      '(Amazon S3 and servers that speak its interface)',
    { file: path },
  );
}
