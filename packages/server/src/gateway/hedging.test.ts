import { describe, expect, it } from 'vitest';
import { Hedging } from './hedging.ts';

const KIND = 'notes search';

describe('reads that are sent to a second node', () => {
  it('are late after the 95th percentile of the last answers of their kind', () => {
    const hedging = new Hedging();
    for (let ms = 1; ms <= 512; ms++) hedging.answered(KIND, ms);
    // the window has 257 to 512
    expect(hedging.begin(KIND)).toBe(500);
    expect(hedging.begin('notes fetch')).toBe(100);
    for (let i = 0; i < 256; i++) hedging.answered(KIND, 0.1);
    expect(hedging.begin(KIND)).toBe(5);
  });

  it('are one in twenty at most, also after many that were not late', () => {
    const hedging = new Hedging();
    let taken = 0;
    for (let i = 0; i < 1000; i++) {
      hedging.begin(KIND);
      if (hedging.take()) taken++;
    }
    expect([taken, hedging.hedged]).toEqual([50, 50]);
    for (let i = 0; i < 10_000; i++) hedging.begin(KIND);
    taken = 0;
    while (hedging.take()) taken++;
    expect(taken).toBe(25);
  });
});
