import { LakeError } from './errors.ts';

/** The schemes under which tables lie on S3, Google Cloud, Azure, HDFS and stores like them. */
const SCHEMES =
  /^(s3[an]?|gs|gcs|az|azure|adl|abfss?|wasbs?|hdfs|viewfs|webhdfs|ofs|o3fs|oss|obs|cosn?|oci|swift):\/\//i;

/** Whether a path names a place on object storage: `s3://…`, `hdfs://…`. */
export function isObjectStorage(path: string): boolean {
  return SCHEMES.test(path);
}

/** Throws unsupported for a path on object storage. */
export function refuseObjectStorage(path: string): void {
  if (!isObjectStorage(path)) return;
  throw new LakeError(
    'unsupported',
    `"${path.slice(0, 300)}" lies on object storage: tables on object storage cannot be read yet`,
    { file: path },
  );
}
