/**
 * How long a table keeps its snapshots: format/spec.md, "Snapshot Retention Policy", and the table
 * properties history.expire.* (Iceberg, "Table behavior properties") that stand in
 * for what a branch does not say. A snapshot of a branch is kept while it is among the newest
 * `min_snapshots` or younger than `max_age_ms`, or while another branch or tag is at it.
 */

import type { IndexStatus } from '@lakehouse-search/contract';
import type { RefRetention, SnapshotRef, SourceTable } from '@lakehouse-search/lake';

const DAY_MS = 86_400_000;
const DEFAULT_AGE_MS = 5 * DAY_MS;
const DEFAULT_SNAPSHOTS = 1;
const AGE = 'history.expire.max-snapshot-age-ms';
const SNAPSHOTS = 'history.expire.min-snapshots-to-keep';

type History = NonNullable<IndexStatus['history']>;

/**
 * The policy of the branch that the index follows, and what it means for a snapshot of it; null
 * where the table says nothing of it, or keeps everything.
 */
export function historyPolicy(
  table: SourceTable,
  ref: string | undefined,
  snapshotId: bigint | null,
  now: number,
): History | null {
  const branch = table.refs.find(({ name }) => name === (ref ?? 'main'));
  const { properties } = table;
  const said = [AGE, SNAPSHOTS].some((name) => properties[name] !== undefined);
  if ((!said && branch?.retention === undefined) || properties['gc.enabled'] === 'false') {
    return null;
  }
  const { maxSnapshotAgeMs, minSnapshots }: RefRetention = branch?.retention ?? {};
  const maxAge = maxSnapshotAgeMs ?? whole(properties[AGE]) ?? DEFAULT_AGE_MS;
  const least = minSnapshots ?? whole(properties[SNAPSHOTS]) ?? DEFAULT_SNAPSHOTS;
  const expires = expiresAt(table, branch, snapshotId, maxAge, least);
  return {
    max_age_ms: maxAge,
    min_snapshots: least,
    checkpoint_expires_at: expires === null ? null : isoOf(expires),
    at_risk: expires !== null && expires - now < margin(maxAge),
  };
}

/** When a snapshot may be expired; null: it may not now, or it is already gone. */
function expiresAt(
  table: SourceTable,
  branch: SnapshotRef | undefined,
  id: bigint | null,
  maxAge: number,
  least: number,
): number | null {
  const snapshot = table.snapshots.find((candidate) => candidate.id === id);
  if (snapshot === undefined || isHeld(table, branch, snapshot.id)) return null;
  const newest = branch === undefined ? [] : table.ancestry(branch.snapshotId).slice(0, least);
  if (newest.some((one) => one.id === id)) return null;
  return snapshot.timestampMs + maxAge;
}

/** Whether another branch or tag, which never expires, points to a snapshot. */
function isHeld(table: SourceTable, branch: SnapshotRef | undefined, id: bigint): boolean {
  return table.refs.some(
    (ref) =>
      ref.snapshotId === id &&
      ref.name !== branch?.name &&
      (ref.name === 'main' || ref.retention?.maxRefAgeMs === undefined),
  );
}

/** What must be left: a day, at most a fifth of the age; a tenth of long ages. */
const margin = (maxAge: number): number => Math.max(maxAge / 10, Math.min(DAY_MS, maxAge / 5));

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,19}$/.test(text) ? Number(text) : undefined;
}

/** The last representable date stands for later ones ("never"). */
const isoOf = (ms: number): string => new Date(Math.min(ms, 8_640_000_000_000_000)).toISOString();
