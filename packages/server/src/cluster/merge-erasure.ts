import { createHash } from 'node:crypto';
import type {
  ErasureActions,
  ErasureReport,
  ErasureResponse,
  ErasureScope,
  ErasureSnapshot,
  ErasureStatement,
} from '@lakehouse-search/contract';
import { each, largest, members, sum } from './merge-members.ts';

/** What a node says about its shards. */
export interface ErasurePart<T> {
  /** Name of the node. */
  readonly node: string;
  readonly answer: T;
}

/**
 * The check of a whole index, of the checks of its nodes. It is clean if all are. Files are shown
 * with the name of their node. `notes` are added.
 */
export function mergeReports(
  parts: readonly ErasurePart<ErasureReport>[],
  notes: readonly string[] = [],
): ErasureReport {
  const all = parts.map(({ answer }) => answer);
  const [first] = all;
  const inTable = new Set(all.flatMap(({ in_table }) => in_table));
  return {
    ...first,
    checked_at: all.map(({ checked_at }) => checked_at).sort()[0],
    clean: all.every(({ clean }) => clean),
    in_table: [...inTable].sort((a, b) => a - b),
    remains: parts.flatMap(({ node, answer }) =>
      answer.remains.map((remain) => {
        const isShared = remain.place === 'backup';
        return isShared ? remain : { ...remain, where: `${node}: ${remain.where}` };
      }),
    ),
    table_snapshots: mergeSnapshots(all.map(({ table_snapshots }) => table_snapshots)),
    examined: mergeScopes(all.map(({ examined }) => examined)),
    notes: [...new Set([...all.flatMap((report) => report.notes), ...notes])],
    took_ms: Math.max(...all.map(({ took_ms }) => took_ms)),
  };
}

/** What several runs did, added up. */
export const mergeActions = members<ErasureActions>({
  ...each(sum, 'points_in_time_closed', 'segments_rewritten', 'generations_removed'),
  ...each(sum, 'cold_objects_removed', 'cache_entries_removed', 'saved_queries_removed'),
  ...each(sum, 'history_lines_removed', 'job_records_removed', 'backups_made', 'backups_removed'),
});

/** What the statement about a whole index says besides the parts of its nodes. */
export interface WholeErasure {
  readonly report: ErasureReport;
  readonly actions: ErasureActions;
  readonly startedAt: string;
  readonly endedAt: string;
}

/**
 * The statement about a whole index, of the statements of its nodes: one salt for all keys, the
 * commits of each node under its name, and one digest over the digests of all files.
 */
export function mergeStatements(
  parts: readonly ErasurePart<ErasureResponse>[],
  { report, actions, startedAt, endedAt }: WholeErasure,
): ErasureStatement {
  const statements = parts.map(({ answer }) => answer.receipt.statement);
  const [first] = statements;
  const files = createHash('sha256');
  for (const { files: own } of statements) files.update(`${own.where} ${own.sha256}\n`);
  const count = statements.reduce((sum, own) => sum + Number.parseInt(own.files.where, 10), 0);
  return {
    ...first,
    index_uuid: statements.map(({ index_uuid }) => index_uuid).join(' '),
    snapshot: report.snapshot,
    started_at: startedAt,
    ended_at: endedAt,
    clean: report.clean,
    actions,
    examined: report.examined,
    remains: report.remains.map(({ place, key, goes, until }) => {
      return { place, key, goes, ...(until === undefined ? {} : { until }) };
    }),
    table_snapshots: report.table_snapshots,
    commits: parts.flatMap(({ node }, i) =>
      statements[i].commits.map(({ where, sha256 }) => ({ where: `${node}: ${where}`, sha256 })),
    ),
    files: { where: `${count} files`, sha256: files.digest('hex') },
    ...mergeObjects(statements),
    notes: report.notes,
  };
}

function mergeObjects(statements: readonly ErasureStatement[]): Pick<ErasureStatement, 'objects'> {
  const lists = statements.flatMap(({ objects }) => objects ?? []);
  if (lists.length === 0) return {};
  const deleted = [...new Set(lists.flatMap((one) => one.deleted))];
  return { objects: { deleted, written: [...new Set(lists.flatMap((one) => one.written))] } };
}

/** Snapshots are those of the table and texts those of the request: the same on every node. */
const mergeScopes = members<ErasureScope>({
  ...each(sum, 'generations', 'commits', 'segments', 'documents', 'cache_entries', 'saved_queries'),
  ...each(sum, 'history_lines', 'job_records', 'backups', 'files', 'bytes'),
  ...each(largest, 'snapshots', 'texts'),
});

/** Nodes look at the table at different moments: a snapshot that one of them saw counts. */
function mergeSnapshots(lists: readonly (readonly ErasureSnapshot[])[]) {
  const byId = new Map<string, ErasureSnapshot>();
  for (const own of lists.flat()) {
    const keys = [...(byId.get(own.snapshot)?.keys ?? []), ...own.keys];
    byId.set(own.snapshot, { ...own, keys: [...new Set(keys)].sort((a, b) => a - b) });
  }
  return [...byId.values()];
}
