/** Buckets of a line against the bucket of each instant for itself. */

import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../../test/support/random.ts';
import { NumericColumn } from '../../columnar/numeric-column.ts';
import { NumericWriter } from '../../columnar/numeric-writer.ts';
import { bucketOf } from './bucket-line.ts';
import { CALENDAR_UNITS, clockBucket } from './calendar.ts';
import { floorTo, histogramLine } from './histogram-line.ts';

const START = BigInt(Date.UTC(1999, 11, 30, 7, 11)) * 1000n;
const DOCS = 3000;

/** Instants over so many days, whole multiples of `step` microseconds. */
function columnOf(days: number, step: bigint): NumericColumn {
  const next = seededNumbers(20_261_121);
  const values = BigInt64Array.from({ length: DOCS }, () => {
    const at = BigInt(Math.floor(next() * days * 86_400_000)) * 1000n;
    return START + (at / step) * step;
  });
  const writer = new NumericWriter(false);
  const starts = Int32Array.from({ length: DOCS + 1 }, (_, i) => i);
  writer.add(DOCS, { kind: 'long', starts, values });
  const parts = writer.finish();
  const region = plainArena(2 ** 20).allocate(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    region.bytes.set(part, at);
    at += part.length;
  }
  return NumericColumn.open(region, 'instants');
}

const COLUMNS = [
  ['milliseconds of three days', columnOf(3, 1000n)],
  ['seconds of 900 days', columnOf(900, 1_000_000n)],
  ['milliseconds of 900 days', columnOf(900, 1000n)],
] as const;
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Sao_Paulo', '-03:30'];

describe('histogram buckets of a column', () => {
  it('are tested on columns of every kind', () => {
    expect(COLUMNS.map(([, { width }]) => width)).toEqual([4, 4, 8]);
  });

  it.each(COLUMNS)('equal the buckets of a scan: %s', (_, column) => {
    const xOf = (doc: number) => column.codes?.[doc] ?? column.wide![doc];
    let lines = 0;
    for (const unit of [...CALENDAR_UNITS, 43 * 60_000, 43_200_000]) {
      for (const zone of ZONES) {
        const interval = { kind: 'calendar', unit, zone, offset: 0 } as const;
        const found = histogramLine(column, interval);
        if (!found?.line) continue;
        lines++;
        for (let doc = 0; doc < DOCS; doc += 7) {
          const instant = Number(floorTo(column.orderedAt(doc, 0), 1000n) / 1000n);
          const wanted = BigInt(clockBucket(instant, interval).start) * 1000n;
          expect(found.keys[bucketOf(found.line, xOf(doc))], `${unit} ${zone}`).toBe(wanted);
        }
      }
    }
    expect(lines).toBeGreaterThan(20);
    for (const micros of [86_400_000_000n, 70_000_001n * 1000n, 3_600_000_000n * 50n]) {
      const { keys, line } = histogramLine(column, { kind: 'fixed', width: micros })!;
      for (let doc = 0; doc < DOCS; doc++) {
        const wanted = floorTo(column.orderedAt(doc, 0), micros);
        expect(keys[bucketOf(line!, xOf(doc))]).toBe(wanted);
      }
    }
  });
});
