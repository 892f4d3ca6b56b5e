import type { LackingCopies } from '@lakehouse-search/contract';
import { withCommas } from '@lakehouse-search/contract/internal';

/** `446015.4` -> `446,015`. */
export const count = (n: number): string => withCommas(Math.round(n));

/** `92,133` rows a second -> `92k`. */
export function rate(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(1)}M`;
  if (perSecond >= 1e4) return `${Math.round(perSecond / 1e3)}k`;
  return count(perSecond);
}

/** `2.1 ms`, `412 ms`, `5.1 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `78.4 MB`; powers of ten, as disks are sold. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  if (n < 1e9) return `${(n / 1e6).toFixed(1)} MB`;
  return `${(n / 1e9).toFixed(2)} GB`;
}

/** `8412345678903325` -> `8412…3325`; short ids stay whole. */
export function snapshotName(id: string): string {
  return id.length <= 10 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}

/** `1 snapshot`, `3 snapshots`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const MINUTE = 60_000;
const UNITS: readonly (readonly [string, number])[] = [
  ['day', 1440 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** How long ago, or how long, in one unit: `40 s`, `3 minutes`, `5 days`. */
export function age(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['s', 1000];
  const n = Math.floor(Math.max(0, ms) / size);
  return unit === 's' ? `${n} s` : plural(n, unit);
}

/** `2025-11-21 10:41:07` of an ISO 8601 time, as the clock on the wall shows it here. */
export function dateTime(iso: string): string {
  const at = new Date(iso);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${clockTime(iso)}`;
}

/** `10:41:07`, likewise. */
export const clockTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8);

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS = '▁▂▃▄▅▆▇█';

/** A bar of `part` (0 .. 1) of `columns`, to an eighth of a column; what is above 0 is seen. */
export function bar(part: number, columns: number): string {
  const eighths = Math.round(Math.min(Math.max(part, 0), 1) * columns * 8);
  const shown = part > 0 ? Math.max(1, eighths) : 0;
  return '█'.repeat(shown >> 3) + EIGHTHS[shown & 7];
}

/**
 * A line of levels over at most `columns` columns, the greatest value full; neighbours share a
 * column where there are more values. 0 is a blank.
 */
export function sparkline(values: readonly number[], columns: number): string {
  const width = Math.max(1, Math.min(columns, values.length));
  const sums = Array.from({ length: width }, (_, i) => {
    const from = Math.floor((i * values.length) / width);
    const to = Math.floor(((i + 1) * values.length) / width);
    return values.slice(from, to).reduce((a, b) => a + b, 0) / Math.max(1, to - from);
  });
  const most = Math.max(...sums, 0);
  return sums.map((sum) => (sum <= 0 ? ' ' : LEVELS[Math.ceil((sum / most) * 8) - 1])).join('');
}

/** Shards of an index that no node of its cluster has. */
export const missingWords = (shards: readonly number[]): string =>
  shards.length === 1
    ? `shard ${shards[0]} is on no node: its rows are missing`
    : `shards ${shards.join(', ')} are on no node: their rows are missing`;

/** Shards of an index that fewer nodes of its cluster have than `replicas` requires. */
export function lackingWords(lacking: readonly LackingCopies[]): string {
  const groups = Map.groupBy(lacking, ({ nodes, required }) => `on ${nodes} of ${required} nodes`);
  const words = [...groups].map(([on, group]) => {
    const shards = group.map(({ shard }) => shard).join(', ');
    return group.length === 1 ? `shard ${shards} is ${on}` : `shards ${shards} are ${on}`;
  });
  return `${words.join('; ')}: start nodes that read its store`;
}
