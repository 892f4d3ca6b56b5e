/**
 * What endangers an index or costs it disk, and what to do about it: `lhs doctor INDEX`. Each
 * check that fails for a reason of its own (an unreachable table, a backup target) is a finding.
 */
import {
  type CallContext,
  type IndexRequest,
  type IndexStatus,
  LhsError,
} from '@lakehouse-search/contract';
import { checkIndexRequest, ENDED_JOB_STATES } from '@lakehouse-search/contract/internal';
import { freeBytes } from '../../open/index-folder.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import { fromSource } from '../../source/source-errors.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import { roomOfRebuild } from '../../sync/build/disk-room.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { statusOf } from '../reads/status.ts';
import { diagnoseFiles } from './diagnose-files.ts';
import type { IndexFinding } from './findings.ts';

const DAY_MS = 86_400_000;
/** A backup that is older than this is worth a word. */
const OLD_BACKUP_MS = 7 * DAY_MS;

/**
 * The findings of all checks, problems first. Throws index_not_found, corrupt_index, io_error.
 */
export async function diagnoseLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<readonly IndexFinding[]> {
  const known = indexes.resolve(checkIndexRequest(request).index);
  // Opening an index sweeps its folder: look at the files first.
  const files = diagnoseFiles(indexes, known);
  const status = await statusOf(indexes, { index: known.registered.name }, call);
  const all = [
    ...snapshots(known, status),
    ...syncs(status),
    ...merges(status),
    ...(await models(indexes, known)),
    ...(await disk(indexes, known, status)),
    ...(indexes.looks === null ? await backups(indexes, known, call) : []),
    ...(await published(indexes, known, call)),
    ...failedJobs(indexes, known),
    ...kept(status),
    ...files,
  ];
  return all.toSorted((a, b) => Number(a.level === 'note') - Number(b.level === 'note'));
}

/** Retention of the table against the checkpoint and the lag that the definition allows. */
function snapshots({ definition }: KnownIndex, status: IndexStatus): readonly IndexFinding[] {
  const { index, history, source_error: fault, heals, checkpoint } = status;
  const sync = [{ step: 'sync', index }] as const;
  const kind = 'snapshot_expiry';
  if (fault !== undefined) {
    const finding = { kind: 'source', level: 'problem', detail: fault.message } as const;
    if (fault.code === 'source_changed') {
      const advice = 'a reindex builds the index anew; syncs and reads of rows fail until then';
      return [{ ...finding, advice, next: [{ step: 'reindex', index }] }];
    }
    const searches = fault.code === 'source_unreachable' ? 'searches go on; ' : '';
    const advice = `${searches}syncs, builds and hydration fail until it can be read`;
    return [{ ...finding, advice }];
  }
  const found: IndexFinding[] = [];
  if (heals === 'snapshot_expired') {
    const detail = `the table has expired the index's snapshot ${checkpoint?.snapshot}`;
    const advice =
      'the next sync compares the two file sets and applies the difference in one step';
    found.push({ kind, level: 'problem', detail, advice, next: sync });
  } else if (history?.at_risk) {
    const { checkpoint_expires_at: at } = history;
    const detail = `the table may expire the index's snapshot from ${at} on`;
    const advice = `sync before, and more often than every ${hours(history.max_age_ms)}`;
    found.push({ kind, level: 'problem', detail, advice, next: sync });
  }
  const { freshnessMs } = definition;
  if (history !== undefined && freshnessMs !== undefined && history.max_age_ms < 2 * freshnessMs) {
    const detail =
      `the table keeps snapshots for ${hours(history.max_age_ms)}, ` +
      `and freshness_ms lets the index lag by ${hours(freshnessMs)}`;
    const advice =
      'lower freshness_ms, or keep snapshots longer (history.expire.max-snapshot-age-ms)';
    found.push({ kind, level: 'problem', detail, advice });
  }
  return found;
}

function syncs({ index, sync_failure: failure }: IndexStatus): readonly IndexFinding[] {
  if (failure === undefined) return [];
  const detail = `syncs fail since ${failure.since}: ${failure.message}`;
  const advice = 'remove the cause and sync it; if a snapshot itself is at fault, build it anew';
  const next = [
    { step: 'sync', index },
    { step: 'reindex', index },
  ] as const;
  return [{ kind: 'sync', level: 'problem', detail, advice, next }];
}

function merges({ index, merge_failure: failure }: IndexStatus): readonly IndexFinding[] {
  if (failure === undefined) return [];
  const detail = `merges of segments fail since ${failure.since}: ${failure.message}`;
  const advice = 'the index works, with more and more segments; remove the cause, then compact it';
  const next = [{ step: 'compact', index }] as const;
  return [{ kind: 'merge', level: 'problem', detail, advice, next }];
}

async function models(indexes: LocalIndexes, known: KnownIndex): Promise<readonly IndexFinding[]> {
  if (commitVersion(known.folder) === null) return [];
  const { snapshot, mapping } = indexes.hold(known);
  try {
    const found: IndexFinding[] = [];
    for (const { plan } of mapping.fields) {
      const committed = snapshot.commit.fields.find(({ id }) => id === plan.id)?.vector?.model;
      if (plan.vector?.model == null || committed == null) continue;
      const fault = await modelFault(indexes, known, plan.vector.model, committed.checksum);
      if (fault !== null) found.push({ ...fault, detail: `field "${plan.name}": ${fault.detail}` });
    }
    return found;
  } finally {
    snapshot.release();
  }
}

async function modelFault(
  indexes: LocalIndexes,
  { registered }: KnownIndex,
  model: string,
  checksum: string,
): Promise<IndexFinding | null> {
  const problem = { kind: 'model', level: 'problem' } as const;
  try {
    const embedder = await indexes.openEmbedder(model, registered.baseDir);
    const found = embedder.identity.checksum;
    await embedder.close();
    if (found === checksum) return null;
    const detail = `model "${model}" is not the one that the index was built with`;
    const advice = 'put the former model back, or build the index with this one';
    return { ...problem, detail, advice, next: [{ step: 'reindex', index: registered.name }] };
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const advice = 'semantic searches by text, syncs and builds need it';
    return { ...problem, detail: error.message, advice, next: [{ step: 'check_model', model }] };
  }
}

/** Free disk against the size of the next build. */
async function disk(
  indexes: LocalIndexes,
  known: KnownIndex,
  status: IndexStatus,
): Promise<readonly IndexFinding[]> {
  if (status.source_error !== undefined) return [];
  const table = await indexes.tables.newest(known);
  const head = followedSnapshot(table, known.definition.source.ref);
  const set = await fromSource(() => table.files(head));
  const needed = roomOfRebuild(set, status.bytes, { segment: 0, cache: 0 });
  const free = freeBytes(known.folder);
  if (free >= needed) return [];
  const detail = `the next build needs about ${megabytes(needed)}, ${megabytes(free)} are free`;
  const advice = 'free space, or move the data folder to a larger disk';
  const next = [{ step: 'choose_data_folder' }] as const;
  return [{ kind: 'disk', level: 'problem', detail, advice, bytes: needed, next }];
}

async function backups(
  indexes: LocalIndexes,
  { registered: { name: index } }: KnownIndex,
  call: CallContext,
): Promise<readonly IndexFinding[]> {
  const note = { kind: 'backup', level: 'note', next: [{ step: 'backup', index }] } as const;
  try {
    const { backupStatusLocal } = await import('../writes/backups.ts');
    const { configured, created_ms: at } = await backupStatusLocal(indexes, { index }, call);
    const advice = 'back it up: the table alone rebuilds it, but not its saved queries and aliases';
    if (!configured) return [{ ...note, detail: 'no backup target is configured', advice }];
    if (at === undefined)
      return [{ ...note, detail: 'the backup target has no backup of it', advice }];
    const age = indexes.clock.now() - at;
    if (age <= OLD_BACKUP_MS) return [];
    return [
      { ...note, detail: `the newest backup is ${Math.round(age / DAY_MS)} days old`, advice },
    ];
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return [{ ...note, detail: error.message, advice: 'check the backup target' }];
  }
}

/** Objects that the store of the index has lost, or why it cannot be read. */
async function published(
  indexes: LocalIndexes,
  known: KnownIndex,
  call: CallContext,
): Promise<readonly IndexFinding[]> {
  const problem = { kind: 'published', level: 'problem' } as const;
  const advice = 'readers by location fail until its files are sent again';
  try {
    const { lostInStore } = await import('../writes/publish.ts');
    const { faults } = await lostInStore(indexes, known, 'sizes', call);
    const next = [{ step: 'repair', index: known.registered.name }] as const;
    return faults.map((detail) => ({ ...problem, detail, advice, next }));
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const { message: detail, hint = 'check the store of the index', next } = error;
    return [{ ...problem, detail, advice: hint, next }];
  }
}

/** The kinds of jobs whose last run failed. */
function failedJobs(indexes: LocalIndexes, { registered }: KnownIndex): readonly IndexFinding[] {
  const seen = new Set<string>();
  const found: IndexFinding[] = [];
  for (const { uuid, id, kind, state, record } of indexes.registry.jobs.list()) {
    if (uuid !== registered.uuid || !ENDED_JOB_STATES.has(state) || seen.has(kind)) continue;
    seen.add(kind);
    if (state !== 'failed') continue;
    const detail = `the last ${kind} failed: ${record.error?.message ?? 'its process ended'}`;
    const advice = 'remove the cause, then run it again';
    const next = [{ step: 'show_job', job: id }] as const;
    found.push({ kind: 'failed_job', level: 'note', detail, advice, next });
  }
  return found;
}

function kept({ index, generations = [] }: IndexStatus): readonly IndexFinding[] {
  const all = generations.filter(({ state }) => state === 'kept');
  if (all.length === 0) return [];
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const each = all.map(({ generation, until }) =>
    until === undefined ? `${generation}` : `${generation} until ${until}`,
  );
  const detail = `generations kept for a rollback: ${each.join(', ')}`;
  const advice = 'each sync writes them too; keep_previous in the definition limits them';
  const next = [{ step: 'describe_index', index }] as const;
  return [{ kind: 'kept_generations', level: 'note', detail, advice, bytes, next }];
}

const hours = (ms: number): string => `${Math.round(ms / 360_000) / 10} h`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
