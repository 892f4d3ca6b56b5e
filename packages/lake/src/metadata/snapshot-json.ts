import type { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import type { RefRetention, SnapshotEntry, SnapshotRef } from './snapshot.ts';

/** Snapshots and refs of table metadata (format/spec.md, "Snapshots", "Snapshot References"). */

/**
 * All snapshots, in the file's order. Throws metadata_invalid for doubled ids and for a snapshot
 * that is its own ancestor.
 */
export function parseSnapshots(node: JsonNode, formatVersion: number): readonly SnapshotEntry[] {
  const items = node.optional((list) => list.items()) ?? [];
  if (items.length > LIMITS.snapshots) {
    node.fail(`${items.length} snapshots are more than the limit`, 'limit_exceeded');
  }
  const snapshots = items.map((item) => parseSnapshot(item, formatVersion));
  refuseCycles(node, snapshots);
  return Object.freeze(snapshots);
}

function parseSnapshot(node: JsonNode, formatVersion: number): SnapshotEntry {
  const summary = node.get('summary').optional((n) => n.stringMap()) ?? {};
  const manifestList = node.get('manifest-list').optional((n) => n.string());
  const manifests = node.get('manifests').optional((n) => n.items().map((m) => m.string()));
  if (manifestList === null && (manifests === null || formatVersion > 1)) {
    node.fail('a snapshot has no manifest-list');
  }
  const parent = node.get('parent-snapshot-id').optional((n) => n.long());
  return Object.freeze({
    id: node.get('snapshot-id').long(),
    parentId: parent === -1n ? null : parent,
    sequenceNumber: node.get('sequence-number').optional((n) => n.long()) ?? 0n,
    timestampMs: node.get('timestamp-ms').safeInteger(),
    operation: summary.operation ?? null,
    summary,
    schemaId: node.get('schema-id').optional((n) => n.int()),
    manifestList,
    manifests: manifestList === null ? manifests : null,
    firstRowId: node.get('first-row-id').optional((n) => n.long()),
    addedRows: node.get('added-rows').optional((n) => n.long()),
    keyId: node.get('key-id').optional((n) => n.string()),
  });
}

function refuseCycles(node: JsonNode, snapshots: readonly SnapshotEntry[]): void {
  const byId = new Map<bigint, SnapshotEntry>();
  for (const snapshot of snapshots) {
    if (byId.has(snapshot.id)) node.fail(`snapshot id ${snapshot.id} occurs twice`);
    byId.set(snapshot.id, snapshot);
  }
  const finished = new Set<bigint>();
  for (const start of snapshots) {
    const walked = new Set<bigint>();
    let next: SnapshotEntry | undefined = start;
    while (next !== undefined && !finished.has(next.id)) {
      if (walked.has(next.id)) node.fail(`snapshot ${next.id} is its own ancestor`);
      walked.add(next.id);
      next = next.parentId === null ? undefined : byId.get(next.parentId);
    }
    for (const id of walked) finished.add(id);
  }
}

/** Branches and tags; `main` is the current snapshot if older metadata does not say so. */
export function parseRefs(
  root: JsonNode,
  snapshots: readonly SnapshotEntry[],
  current: bigint | null,
): readonly SnapshotRef[] {
  const node = root.get('refs');
  const ids = new Set(snapshots.map((snapshot) => snapshot.id));
  const refs = (node.optional((n) => n.entries()) ?? []).map(([name, ref]) => {
    const snapshotId = ref.get('snapshot-id').long();
    if (!ids.has(snapshotId)) ref.fail(`ref "${name}" names snapshot ${snapshotId}, which is gone`);
    const kind = ref.get('type').string();
    if (kind !== 'branch' && kind !== 'tag') ref.fail(`ref "${name}" has the type "${kind}"`);
    const retention = parseRetention(ref);
    return Object.freeze({ name, kind: kind as 'branch' | 'tag', snapshotId, ...retention });
  });
  const main = refs.find((ref) => ref.name === 'main');
  if (main !== undefined && main.snapshotId !== current) {
    node.fail(`branch "main" is at ${main.snapshotId}, the current snapshot is ${current}`);
  }
  if (main === undefined && current !== null) {
    refs.unshift(Object.freeze({ name: 'main', kind: 'branch' as const, snapshotId: current }));
  }
  return Object.freeze(refs);
}

function parseRetention(ref: JsonNode): { readonly retention?: RefRetention } {
  const minSnapshots = ref.get('min-snapshots-to-keep').optional((n) => n.int());
  const maxSnapshotAgeMs = ref.get('max-snapshot-age-ms').optional(milliseconds);
  const maxRefAgeMs = ref.get('max-ref-age-ms').optional(milliseconds);
  const retention: RefRetention = {
    ...(minSnapshots === null ? {} : { minSnapshots }),
    ...(maxSnapshotAgeMs === null ? {} : { maxSnapshotAgeMs }),
    ...(maxRefAgeMs === null ? {} : { maxRefAgeMs }),
  };
  return Object.keys(retention).length === 0 ? {} : { retention: Object.freeze(retention) };
}

/** A long, which may be the greatest one ("for ever"): as a number it is only less exact there. */
const milliseconds = (node: JsonNode): number => Number(node.long());
