import type { StoreKind } from '../base/object-storage.ts';
import type { Buckets, FileAccess } from './buckets.ts';

/**
 * The buckets of a store. What speaks to it is loaded here, its SDK at the first request. Throws
 * invalid_argument, path_refused for wrong settings.
 */
export async function openBuckets(kind: StoreKind, access: FileAccess): Promise<Buckets> {
  switch (kind) {
    case 's3':
      return (await import('./s3/s3-buckets.ts')).s3Buckets(access);
    case 'gs':
      return (await import('./gcs/gcs-store.ts')).gcsBuckets(access);
    case 'azure':
      return (await import('./azure/azure-store.ts')).azureBuckets(access);
  }
}
