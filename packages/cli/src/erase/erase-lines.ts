import type {
  Coordinates,
  ErasureActions,
  ErasureEnd,
  ErasurePlace,
  ErasureRemain,
  ErasureReport,
} from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { count, dateTime, plural, snapshotName } from '../terminal/figures.ts';
import { table } from '../terminal/table.ts';
import { printable } from '../terminal/text.ts';

const PLACES: Readonly<Record<ErasurePlace, string>> = {
  live_document: 'live document',
  deleted_document: 'deleted document',
  skipped_row: 'skipped row',
  pinned_commit: 'point in time',
  kept_generation: 'kept generation',
  staged_generation: 'staged generation',
  unreferenced_file: 'file without commit',
  embedding_cache: 'embedding cache',
  saved_query: 'saved query',
  query_history: 'query history',
  job_record: 'job record',
  backup: 'backup',
  cold_window: 'cold window',
  published_commit: 'published commit',
  other_file: 'other file',
};
const ENDS: Readonly<Record<ErasureEnd, string>> = {
  sync: 'next sync',
  commit: 'next commit',
  merge: 'next merge',
  expiry: 'expires',
  job_end: 'end of the job',
  prune: 'lhs index backups prune',
  erase: 'lhs erase run',
};
/** Remains that are printed one by one. */
const MOST_LINES = 50;

/** Exit codes of a check. */
export const ERASE_EXIT = { clean: 0, remains: 1, inTable: 5 } as const;

/** The exit code of a report. */
export const eraseExit = ({ clean, in_table }: ErasureReport): number =>
  in_table.length > 0 ? ERASE_EXIT.inTable : clean ? ERASE_EXIT.clean : ERASE_EXIT.remains;

/** A report for people. */
export function reportLines(
  report: ErasureReport,
  keys: readonly Coordinates[],
  width: number,
): string[] {
  const { index, examined, remains } = report;
  const named = (key: number) => printable(formatKey(keys[key]));
  const scope =
    `${plural(examined.generations, 'generation')}, ${plural(examined.segments, 'segment')}, ` +
    `${count(examined.documents)} documents, ${count(examined.cache_entries)} cached vectors, ` +
    `${plural(examined.backups, 'backup')}, ${plural(examined.snapshots, 'snapshot')}`;
  const checked = plural(report.keys, 'key');
  return [
    report.clean
      ? `${index}  nothing remains of ${checked}`
      : `${index}  data remains in ${plural(remains.length, 'place')} (${checked} checked)`,
    `examined ${scope}`,
    ...report.in_table.map((key) => `${named(key)} is still in the table: delete it there first`),
    ...remainLines(remains, keys, width),
    ...report.table_snapshots.map(({ snapshot, committed_at, keys: own }) => {
      const rows = plural(own.length, 'row');
      const name = `${snapshotName(snapshot)} of ${dateTime(committed_at)}`;
      return `the table's snapshot ${name} has ${rows}`;
    }),
    ...report.notes.map((note) => `note: ${printable(note)}`),
  ];
}

function remainLines(
  remains: readonly ErasureRemain[],
  keys: readonly Coordinates[],
  width: number,
): string[] {
  if (remains.length === 0) return [];
  const shown = remains.slice(0, MOST_LINES);
  const rows = shown.map(({ place, key, goes, until, where, detail, fields }) => [
    PLACES[place],
    key === null ? '' : formatKey(keys[key]),
    until === undefined ? ENDS[goes] : `${dateTime(until)}`,
    `${detail}${partsOf(fields)} · ${shownPath(where)}`,
  ]);
  const titles = ['place', 'key', 'goes with', 'what'].map((title) => ({ title }));
  const more = remains.length - shown.length;
  return [
    ...table(titles, rows, Math.max(width, 120)),
    ...(more > 0 ? [`and ${count(more)} more (--json lists all)`] : []),
  ];
}

/** A path of the data folder without the folder of the index. */
const shownPath = (where: string): string => where.replace(/^indexes\/[0-9a-f-]{36}\//, '');

/** `note (terms, stored), size (column)`. */
function partsOf(fields: ErasureRemain['fields']): string {
  if (fields === undefined || fields.length === 0) return '';
  return `; ${fields.map(({ field, parts }) => `${field} (${parts.join(', ')})`).join(', ')}`;
}

const DONE: Readonly<Record<keyof ErasureActions, string>> = {
  points_in_time_closed: 'point in time closed',
  segments_rewritten: 'segment rewritten',
  generations_removed: 'generation removed',
  cold_objects_removed: 'cold object removed',
  cache_entries_removed: 'cached vector removed',
  saved_queries_removed: 'saved query removed',
  history_lines_removed: 'past query removed',
  job_records_removed: 'job record removed',
  backups_made: 'backup made',
  backups_removed: 'backup removed',
};

/** What a run did. */
export function actionLines(actions: ErasureActions): string[] {
  const done = (Object.keys(DONE) as (keyof ErasureActions)[])
    .map((name) => [name, actions[name] ?? 0] as const)
    .filter(([, done]) => done > 0)
    .map(([name, done]) => `${count(done)} ${several(DONE[name], done)}`);
  return [done.length === 0 ? 'nothing to remove' : done.join(', ')];
}

/** `2 segments rewritten`: the noun before the participle gets its plural. */
function several(words: string, n: number): string {
  if (n === 1) return words;
  const [participle, noun = '', ...before] = words.split(' ').reverse();
  if (words.startsWith('point')) return `points in time ${participle}`;
  const many = noun === 'query' ? 'queries' : `${noun}s`;
  return [...before.reverse(), many, participle].join(' ');
}
