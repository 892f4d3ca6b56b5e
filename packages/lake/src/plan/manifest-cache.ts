import type { TableFiles } from '../base/files/table-files.ts';
import { type ManifestEntry, readManifest } from '../metadata/manifest.ts';
import type { ManifestFile } from '../metadata/manifest-list.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';

/**
 * Manifests that were read lately, by table version. Neighbouring snapshots share most of theirs,
 * so the second file set of a difference costs only what changed. Manifest files never change; what
 * entries inherit comes from the list, so it is part of the key.
 */
type Cache = Map<string, Promise<readonly ManifestEntry[]>>;

/** Manifests cached per table version, and entries above which a manifest is not cached. */
const KEPT_MANIFESTS = 256;
const KEPT_ENTRIES = 2000;

const CACHES = new WeakMap<TableMetadata, Cache>();

/**
 * Manifests that were read of a table's version are known in a later version of it too: a table
 * that is followed reads the new ones alone. Where schemas or partition specs have changed, entries
 * may read differently, and nothing is kept.
 */
export function keepManifests(former: TableMetadata, next: TableMetadata): void {
  const cache = CACHES.get(former);
  if (cache !== undefined && readsAlike(former, next)) CACHES.set(next, cache);
}

function readsAlike(a: TableMetadata, b: TableMetadata): boolean {
  const same =
    a.uuid === b.uuid && a.schemas.length === b.schemas.length && a.specs.length === b.specs.length;
  return same && a.schema.schemaId === b.schema.schemaId;
}

/** `readManifest`, or what it said the last time. */
export function cachedManifest(
  manifest: ManifestFile,
  metadata: TableMetadata,
  files: TableFiles,
): Promise<readonly ManifestEntry[]> {
  const cache = CACHES.get(metadata) ?? new Map();
  CACHES.set(metadata, cache);
  const { path, sequence, addedSnapshotId, firstRowId, specId, content } = manifest;
  const key = [sequence, addedSnapshotId, firstRowId, specId, content, path].join(' ');
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const reading = readManifest(manifest, metadata, files);
  cache.set(key, reading);
  if (cache.size > KEPT_MANIFESTS) cache.delete(cache.keys().next().value!);
  reading.then(
    (entries) => entries.length > KEPT_ENTRIES && cache.delete(key),
    () => cache.delete(key),
  );
  return reading;
}
