import { objectAddress, refuseOtherStores, storeKind } from '../base/object-storage.ts';
import { resolvePlace } from '../base/place.ts';
import type { FileAccess } from './buckets.ts';
import { FolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { openBuckets } from './open-buckets.ts';

/**
 * The objects below `place`: a folder, `s3://bucket/prefix`, `gs://…`, `az://…` or `abfss://…`.
 * Nothing is sent before the first request. Throws unsupported for other stores, invalid_argument
 * for wrong settings.
 */
export async function openObjectStore(
  place: string,
  options: FileAccess = {},
): Promise<ObjectStore> {
  refuseOtherStores(place);
  if (storeKind(place) === undefined) return new FolderStore(resolvePlace(place));
  const { kind, bucket, key } = objectAddress(resolvePlace(place));
  return (await openBuckets(kind, options)).bucket(bucket, key === '' ? '' : `${key}/`);
}
