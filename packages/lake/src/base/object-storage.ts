import { LakeError } from './errors.ts';

/** The schemes of tables on S3, Google Cloud, Azure, HDFS and similar stores. */
const SCHEMES =
  /^(s3[an]?|gs|gcs|az|azure|adl|abfss?|wasbs?|hdfs|viewfs|webhdfs|ofs|o3fs|oss|obs|cosn?|oci|swift):\/\//i;

/** The kinds of object stores that are read and written. */
export type StoreKind = 's3' | 'gs' | 'azure';

/** The schemes of each kind, its form in messages, and what its buckets are. */
const KINDS: Readonly<Record<StoreKind, StoreScheme>> = Object.freeze({
  s3: {
    scheme: /^s3[an]?:\/\//i,
    form: 's3://bucket/key',
    bucket: /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/,
  },
  gs: { scheme: /^gc?s:\/\//i, form: 'gs://bucket/key', bucket: /^[a-z0-9][a-z0-9._-]{1,221}$/ },
  azure: {
    scheme: /^(az|azure|abfss?|wasbs?):\/\//i,
    form: 'abfss://container@account.dfs.core.windows.net/key or az://container/key',
    bucket: /^[$a-z0-9-]{1,63}(@[a-z0-9]{3,24}(\.[a-z0-9-]+)+)?$/,
  },
});

interface StoreScheme {
  readonly scheme: RegExp;
  readonly form: string;
  readonly bucket: RegExp;
}

/** Whether a path names a place on object storage: `s3://…`, `hdfs://…`. */
export function isObjectStorage(path: string): boolean {
  return SCHEMES.test(path);
}

/** The kind of store that a path is on; undefined for local paths and other stores. */
export function storeKind(path: string): StoreKind | undefined {
  const kinds = Object.keys(KINDS) as StoreKind[];
  return kinds.find((kind) => KINDS[kind].scheme.test(path));
}

/** Whether a path names an object of a store that is read: S3, Google Cloud Storage, Azure. */
export const isObjectPath = (path: string): boolean => storeKind(path) !== undefined;

/** An object of a store, or all objects whose keys begin with `key`. */
export interface ObjectAddress {
  readonly kind: StoreKind;
  /** A bucket; on Azure a container, with `@` and the host of its account if the path has one. */
  readonly bucket: string;
  readonly key: string;
}

/**
 * The address of `s3://bucket/key`, `gs://bucket/key`, `az://container/key` or
 * `abfss://container@account.dfs.core.windows.net/key`. Throws invalid_argument.
 */
export function objectAddress(path: string): ObjectAddress {
  const kind = storeKind(path) ?? 's3';
  const { form, bucket: buckets } = KINDS[kind];
  const [, bucket, key = ''] = /^[a-z0-9]+:\/\/([^/]*)\/?(.*)$/s.exec(oneSpelling(path)) ?? [];
  if (bucket !== undefined && buckets.test(bucket)) return { kind, bucket, key };
  const message = `"${path.slice(0, 300)}" is not of the form ${form}`;
  throw new LakeError('invalid_argument', message, { file: path });
}

/** A path with the one spelling of its store: `s3a:` is `s3:`, hosts `.blob.` are `.dfs.`. */
export function oneSpelling(path: string): string {
  const kind = storeKind(path);
  if (kind === undefined) return path;
  const rest = path.replace(KINDS[kind].scheme, '');
  if (kind !== 'azure') return `${kind}://${rest}`;
  const hasAccount = /^[^/]*@/.test(rest);
  return hasAccount
    ? `abfss://${rest.replace(/(?<=^[^/]*@[^./]+)\.blob\./, '.dfs.')}`
    : `az://${rest}`;
}

/** Throws unsupported for a path on an object store that is not read. */
export function refuseOtherStores(path: string): void {
  if (!isObjectStorage(path) || isObjectPath(path)) return;
  throw new LakeError(
    'unsupported',
    `"${path.slice(0, 300)}" lies on a store that cannot be read: tables may lie on local ` +
      'folders, on s3:// (Amazon S3 and servers that speak its interface), gs:// (Google Cloud ' +
      'Storage) and abfss:// or az:// (Azure Blob Storage)',
    { file: path },
  );
}
