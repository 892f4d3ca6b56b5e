import type {
  DiffCause,
  DiffedHit,
  DiffPlace,
  DiffResponse,
  DiffSide,
} from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { bytes, count, duration, plural, snapshotName } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

const KINDS: Readonly<Record<DiffSide['kind'], string>> = {
  live: 'live commit',
  point_in_time: 'point in time',
  kept: 'kept generation',
  index: 'live commit',
  built: 'built from the table',
};
const CAUSES: Readonly<Record<DiffCause['cause'], string>> = {
  row_inserted: 'row inserted',
  row_deleted: 'row deleted',
  row_changed: 'row changed',
  statistics: 'statistics moved',
  definition: 'definition changed',
  others: 'other hits',
};

/** What would be built for a plan, one line per side; empty if nothing. */
export function costLines({ from, to }: DiffResponse): string[] {
  return [from, to].flatMap(({ kind, snapshot, rows, bytes: size = 0, texts = 0 }) => {
    if (kind !== 'built') return [];
    const embeds = texts === 0 ? '' : `, embeds up to ${plural(texts, 'text')}`;
    const named = snapshot === null ? 'the empty table' : `snapshot ${snapshotName(snapshot)}`;
    return [`builds ${named}: reads ${plural(rows, 'row')}, ${bytes(size)}${embeds}`];
  });
}

/** A difference for people. */
export function diffLines(diff: DiffResponse, width: number): string[] {
  const { hits, same } = diff;
  const of = (change: DiffedHit['change']) => hits.filter((hit) => hit.change === change).length;
  const titles = ['change', 'key', 'from', 'to', 'cause'].map((title) => ({ title }));
  const rows = hits.map(({ change, coordinates, from, to, causes }) => [
    change,
    formatKey(coordinates),
    placeText(from),
    placeText(to),
    causes.map(causeText).join('; '),
  ]);
  return [
    `from ${sideText(diff.from)}`,
    `to   ${sideText(diff.to)}`,
    `${of('entered')} entered, ${of('left')} left, ${of('moved')} moved, ${same} the same`,
    ...(hits.length === 0 ? [] : table(titles, rows, Math.max(width, 100))),
    ...diff.notes.map((note) => `note: ${note}`),
  ];
}

function sideText({ kind, index, snapshot, generation, total = 0, build_ms }: DiffSide): string {
  const named = snapshot === null ? 'the empty table' : `snapshot ${snapshotName(snapshot)}`;
  const where = generation === undefined ? '' : `, generation ${generation}`;
  const built = build_ms === undefined ? '' : ` in ${duration(build_ms)}`;
  const of = index === undefined ? '' : ` of ${index}`;
  return `${named}: ${KINDS[kind]}${of}${where}${built} · ${plural(total, 'hit')}`;
}

function placeText(place: DiffPlace | undefined): string {
  if (place === undefined) return '';
  const rank = place.rank === undefined ? '' : `#${place.rank} `;
  return `${rank}${place.score.toFixed(3)}`;
}

function causeText({ cause, columns, statistics, others }: DiffCause): string {
  const more = [
    ...(columns ?? []),
    ...(statistics ?? []).map(({ clause, docs, df, average_length }) =>
      [
        clause,
        change('documents', docs),
        change('with it', df),
        change(
          'average length',
          average_length.map((length) => Number(length.toFixed(2))),
        ),
      ]
        .filter(Boolean)
        .join(' '),
    ),
    ...(others ?? []).map(formatKey),
  ];
  return more.length === 0 ? CAUSES[cause] : `${CAUSES[cause]} (${more.join(', ')})`;
}

function change(name: string, [from, to]: readonly number[]): string {
  return from === to ? '' : `${name} ${count(from)} → ${count(to)}`;
}
