/** Figures as people read them, worded as on the command line. */

import { withCommas } from '@lakehouse-search/contract/internal';
import { instantIn } from './zone.ts';

/** `446015` -> `446,015`. */
export const count = (n: number): string => withCommas(Math.round(n));

/** `1 snapshot`, `3 snapshots`. */
export const plural = (n: number, one: string): string =>
  `${count(n)} ${n === 1 ? one : `${one}s`}`;

/** `78.4 MB`; powers of ten. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  return n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(2)} GB`;
}

/** `2.1 ms`, `412 ms`, `5.1 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const AGES: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Milliseconds in one unit: `40 s`, `3 minutes`, `5 days`. */
export function age(ms: number): string {
  const [unit, size] = AGES.find(([, least]) => ms >= least) ?? ['s', 1000];
  const n = Math.floor(Math.max(0, ms) / size);
  return unit === 's' ? `${n} s` : plural(n, unit);
}

/** `2026-11-21 10:41:07` of an ISO 8601 time, in the zone in force. */
export function dateTime(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : instantIn(at);
}

/** `8412345678903325` -> `8412…3325`; short ids stay whole. */
export const snapshotName = (id: string): string =>
  id.length <= 10 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
