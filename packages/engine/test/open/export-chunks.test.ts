/** Exports of random indexes in chunks of any size, against the documents that were written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import type { OpenIndex } from '../../src/open/open-index.ts';
import { exportAll } from './export-all.ts';

const SEED = 20_261_121;

describe('an export', () => {
  it('is every live document by key, however few documents or characters are read at once', () => {
    let documents = 0;
    for (const plan of fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: 12 })) {
      const { snapshot, live } = buildCorpus(plan);
      const open = { snapshot, mapping: MAPPING } as unknown as OpenIndex;
      const wanted = live.map(({ key }) => key).sort();
      const whole = [...exportAll(open)];
      expect(whole.map((one) => one.coordinates.identifier[0]!.value)).toEqual(wanted);
      for (const [docs, chars] of [
        [1, 1],
        [7, 1e9],
        [100, 200],
        [65_536, 1000],
        [65_536, 0],
      ] as const) {
        expect([...exportAll(open, { docs, chars })]).toEqual(whole);
      }
      const texts = new Map(live.map(({ key, texts: { t1 } }) => [key, t1]));
      for (const { coordinates, fields } of whole) {
        const own = texts.get(coordinates.identifier[0]!.value)!;
        expect(fields.t1 ?? []).toEqual(own.length === 0 ? [] : own);
      }
      documents += whole.length;
      snapshot.release();
    }
    expect(documents).toBeGreaterThan(1000);
  });

  it('reads no more texts at once than the limit allows', () => {
    const [plan] = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: 1 });
    const { snapshot } = buildCorpus(plan!);
    const open = { snapshot, mapping: MAPPING } as unknown as OpenIndex;
    let reads = 0;
    for (const reader of snapshot.segments) {
      const stored = reader.stored.bind(reader);
      reader.stored = (doc) => {
        reads++;
        return stored(doc);
      };
    }
    const documents = exportAll(open, { docs: 65_536, chars: 0 });
    documents.next();
    documents.next();
    const before = reads;
    documents.next();
    expect(reads - before).toBeLessThanOrEqual(2);
    snapshot.release();
  });
});
