/** Table metadata after a change of branches, tags and snapshots, as in next-metadata.ts. */
import { LakeError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RefRetention } from '../../metadata/snapshot.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { listOf, pointRef } from './next-metadata.ts';

/** Where a branch or tag points, and how long it keeps what. */
export interface RefTarget {
  readonly kind: 'branch' | 'tag';
  readonly snapshotId: bigint;
  /** What is absent stays as it is. */
  readonly retention?: RefRetention;
}

/** Makes a branch or tag, or lets it point elsewhere. */
export function withRef(
  metadata: TableMetadata,
  name: string,
  { kind, snapshotId, retention = {} }: RefTarget,
  nowMs: number,
): JsonObject {
  const { minSnapshots, maxSnapshotAgeMs, maxRefAgeMs } = retention;
  const ref = {
    'snapshot-id': snapshotId,
    type: kind,
    ...(minSnapshots === undefined ? {} : { 'min-snapshots-to-keep': minSnapshots }),
    ...(maxSnapshotAgeMs === undefined ? {} : { 'max-snapshot-age-ms': maxSnapshotAgeMs }),
    ...(maxRefAgeMs === undefined ? {} : { 'max-ref-age-ms': maxRefAgeMs }),
  };
  return pointRef({ ...metadata.raw, 'last-updated-ms': nowMs }, name, ref, nowMs);
}

/** Removes a branch or tag. Throws snapshot_not_found. */
export function withoutRef(metadata: TableMetadata, name: string, nowMs: number): JsonObject {
  const refs = { ...(metadata.raw.refs as JsonObject | undefined) };
  if (name === 'main' || refs[name] === undefined) {
    throw new LakeError('snapshot_not_found', `there is no branch or tag "${name}" to remove`);
  }
  delete refs[name];
  return { ...metadata.raw, 'last-updated-ms': nowMs, refs };
}

/**
 * Forgets snapshots with their statistics, and refs. Log entries before the newest forgotten
 * snapshot go too: they would name what is gone.
 */
export function withoutSnapshots(
  metadata: TableMetadata,
  expired: ReadonlySet<bigint>,
  refs: readonly string[],
  nowMs: number,
): JsonObject {
  const { raw } = metadata;
  const stays = (entry: JsonValue) => !expired.has(snapshotOfEntry(entry));
  const log = listOf(raw['snapshot-log']);
  const newest = log.findLastIndex((entry) => !stays(entry));
  const next: Record<string, JsonValue> = {
    ...raw,
    'last-updated-ms': nowMs,
    snapshots: listOf(raw.snapshots).filter(stays),
    'snapshot-log': log.slice(newest + 1),
  };
  for (const key of ['statistics', 'partition-statistics']) {
    if (raw[key] !== undefined) next[key] = listOf(raw[key]).filter(stays);
  }
  if (raw.refs === undefined) return next;
  const named = Object.entries(raw.refs as JsonObject).filter(([name]) => !refs.includes(name));
  return { ...next, refs: Object.fromEntries(named) };
}

/** The snapshot that an entry of the metadata belongs to. */
export const snapshotOfEntry = (entry: JsonValue): bigint =>
  BigInt(String((entry as JsonObject)['snapshot-id']));
