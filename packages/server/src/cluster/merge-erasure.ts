import { createHash } from 'node:crypto';
import type {
  ErasureActions,
  ErasureReport,
  ErasureResponse,
  ErasureScope,
  ErasureSnapshot,
  ErasureStatement,
} from '@lakehouse-search/contract';
import { largest, members, sum } from './merge-members.ts';

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
  points_in_time_closed: sum,
  segments_rewritten: sum,
  generations_removed: sum,
  cold_objects_removed: sum,
  cache_entries_removed: sum,
  saved_queries_removed: sum,
  history_lines_removed: sum,
  job_records_removed: sum,
  backups_made: sum,
  backups_removed: sum,
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
  generations: sum,
  commits: sum,
  segments: sum,
  documents: sum,
  cache_entries: sum,
  saved_queries: sum,
  history_lines: sum,
  job_records: sum,
  backups: sum,
  snapshots: largest,
  texts: largest,
  files: sum,
  bytes: sum,
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
