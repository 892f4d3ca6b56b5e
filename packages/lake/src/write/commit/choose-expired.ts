/**
 * Which snapshots and refs may be forgotten (format/spec.md, "Snapshot Retention Policy"). A ref
 * goes if its snapshot is older than the ref's own maximum age. The snapshot of each remaining ref
 * stays. Each remaining branch keeps its newest snapshots, and those that are young enough.
 */
import { ancestryOf, type TableMetadata } from '../../metadata/table-metadata.ts';

/** What to keep where a branch has no rule of its own. */
export interface ExpiryRule {
  /** Snapshots from this time on stay, milliseconds since 1970. */
  readonly olderThanMs: number;
  /** Newest snapshots of each branch that stay at any age, at least 1. */
  readonly keep: number;
  readonly nowMs: number;
}

/** What may go. */
export interface Expired {
  readonly snapshots: ReadonlySet<bigint>;
  /** Names of branches and tags. */
  readonly refs: readonly string[];
}

/** Chooses by the rule and by the retention of each branch and tag. */
export function chooseExpired(metadata: TableMetadata, rule: ExpiryRule): Expired {
  const timeOf = new Map(metadata.snapshots.map(({ id, timestampMs }) => [id, timestampMs]));
  const refs = metadata.refs.filter(({ name, snapshotId, retention }) => {
    const age = rule.nowMs - (timeOf.get(snapshotId) ?? rule.nowMs);
    return name !== 'main' && age > (retention?.maxRefAgeMs ?? Number.POSITIVE_INFINITY);
  });
  const kept = new Set<bigint>();
  if (metadata.currentSnapshotId !== null) kept.add(metadata.currentSnapshotId);
  for (const ref of metadata.refs) {
    if (refs.includes(ref)) continue;
    kept.add(ref.snapshotId);
    if (ref.kind === 'tag') continue;
    const { minSnapshots = rule.keep, maxSnapshotAgeMs } = ref.retention ?? {};
    const from = maxSnapshotAgeMs === undefined ? rule.olderThanMs : rule.nowMs - maxSnapshotAgeMs;
    ancestryOf(metadata, ref.snapshotId).forEach(({ id, timestampMs }, i) => {
      if (i < minSnapshots || timestampMs >= from) kept.add(id);
    });
  }
  const old = metadata.snapshots.filter(
    ({ id, timestampMs }) => !kept.has(id) && timestampMs < rule.olderThanMs,
  );
  return { snapshots: new Set(old.map(({ id }) => id)), refs: refs.map(({ name }) => name) };
}
