import { type IndexStatus, LhsError } from '@lakehouse-search/contract';
import type { Snapshot, SourceTable } from '@lakehouse-search/lake';
import type { ProcessIdentity } from '../base/process-identity.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { chooseMerges } from '../index/merges/merge-policy.ts';
import { describeShards } from '../open/describe-index.ts';
import type { Definition } from '../schema/definition.ts';
import { segmentBytes } from '../segment/entry.ts';
import { followedSnapshot } from '../source/source-table.ts';
import { skippedPart } from './batch/skipped-rows.ts';
import { backgroundSettings } from './build/build-resources.ts';
import { historyPolicy } from './history-policy.ts';
import { type Way, wayTo } from './missing-snapshots.ts';

/** An index as its folder shows it; `snapshot` is null before the first reindex. */
export interface StatusSubject {
  readonly definition: Definition;
  readonly snapshot: IndexSnapshot | null;
  readonly writer: ProcessIdentity | null;
}

/** The index's own part of the status, without its table. */
export function ownStatus({ definition, snapshot, writer }: StatusSubject): IndexStatus {
  const held = writer === null ? {} : { writer: { pid: writer.pid, host: writer.host } };
  return {
    index: definition.index,
    status: snapshot === null ? 'created' : 'live',
    index_generation: snapshot?.generation ?? 0,
    num_docs: snapshot?.liveDocs ?? 0,
    deleted_docs: snapshot?.deletedDocs ?? 0,
    segments: snapshot?.segments.length ?? 0,
    bytes: snapshot?.bytes ?? 0,
    ...(snapshot === null ? {} : { shards: describeShards(snapshot) }),
    pending_merges: snapshot === null ? 0 : pendingMerges(snapshot),
    checkpoint: checkpointOf(snapshot),
    ...(snapshot === null ? {} : skippedPart(snapshot.commit)),
    ...held,
  };
}

function pendingMerges({ commit }: IndexSnapshot): number {
  const hot = commit.segments.filter(({ cold }) => cold === undefined);
  const sizes = hot.map((entry) => ({ ...entry, bytes: segmentBytes(entry) }));
  return chooseMerges(sizes, backgroundSettings()).length;
}

function checkpointOf(snapshot: IndexSnapshot | null): IndexStatus['checkpoint'] {
  if (snapshot?.checkpoint == null) return null;
  const committed_at = new Date(snapshot.commit.committed_at).toISOString();
  return { snapshot: snapshot.checkpoint.snapshot_id, committed_at };
}

/**
 * What the table adds to it: where its head is, how far it is, and how long history is kept. Throws
 * source_changed, not_found (the branch is gone).
 */
export function tableStatus(
  { definition, snapshot }: StatusSubject,
  table: SourceTable,
  now: number,
): Pick<IndexStatus, 'head' | 'lag' | 'heals' | 'history'> {
  const { ref } = definition.source;
  const head = followedSnapshot(table, ref);
  const since = head === null ? null : table.snapshot(head).timestampMs;
  const way = snapshot === null ? null : wayTo(snapshot.commit, table, head, { definition });
  const own = snapshot?.checkpoint?.snapshot_id ?? null;
  const history = historyPolicy(table, ref, own === null ? null : BigInt(own), now);
  return {
    head: {
      snapshot: head === null ? null : String(head),
      at: since === null ? null : new Date(since).toISOString(),
    },
    ...(way === null ? {} : { lag: lagOf(way, since ?? now, now) }),
    ...(way?.kind === 'heal' ? { heals: way.reason } : {}),
    ...(history === null ? {} : { history }),
  };
}

function lagOf(way: Way, headSince: number, now: number): IndexStatus['lag'] {
  const age = (since: number) => Math.max(0, Math.round((now - since) / 1000));
  if (way.kind === 'heal') return { snapshots: 1, rows: null, seconds: age(headSince) };
  const { steps } = way;
  const seconds = steps.length === 0 ? 0 : age(steps[0].timestampMs);
  return { snapshots: steps.length, rows: rowsOf(steps), seconds };
}

/** Rows by the summaries; null if one lacks them. A replace changes no row. */
function rowsOf(missing: readonly Snapshot[]): { added: number; deleted: number } | null {
  let added = 0;
  let deleted = 0;
  for (const { operation, summary } of missing) {
    if (operation === 'replace') continue;
    if (!Object.keys(summary).some((key) => /^(added|deleted|total)-/.test(key))) return null;
    const count = (name: string) => Number(summary[name] ?? 0);
    const positions = count('added-position-deletes') - count('removed-position-deletes');
    added += count('added-records');
    deleted += count('deleted-records') + Math.max(0, positions) + count('added-equality-deletes');
  }
  return { added, deleted };
}

/** Why the table cannot be read, as the response carries it. */
export function sourceFault(error: unknown): Required<Pick<IndexStatus, 'source_error'>> {
  if (!(error instanceof LhsError)) throw error;
  return { source_error: { code: error.code, message: error.message } };
}
