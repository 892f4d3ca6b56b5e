import { isS3, refuseOtherStores, s3Address } from '../base/object-storage.ts';
import { resolvePlace } from '../base/place.ts';
import { FolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { Environment, S3Config } from './s3-settings.ts';

/**
 * The objects below `place`: a folder, or `s3://bucket/prefix`. Nothing is sent before the first
 * request. Throws unsupported for other stores, invalid_argument for wrong settings.
 */
export async function openObjectStore(
  place: string,
  options: { readonly s3?: S3Config; readonly env?: Environment } = {},
): Promise<ObjectStore> {
  refuseOtherStores(place);
  if (!isS3(place)) return new FolderStore(resolvePlace(place));
  const { bucket, key } = s3Address(resolvePlace(place));
  const { s3Bucket } = await import('./s3-files.ts');
  return s3Bucket(bucket, key === '' ? '' : `${key}/`, options);
}
