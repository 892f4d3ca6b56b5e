import { describe, expect, it } from 'vitest';
import { indexOf } from './calls.ts';

describe('the index of a request, for its record', () => {
  it('is the text that the request has', () => {
    expect(indexOf({ index: 'notes' })).toBe('notes');
    expect([undefined, {}, { index: 1 }].map(indexOf)).toEqual([undefined, undefined, undefined]);
  });

  it('is cut where no name of an index is as long: logs have a line for each call', () => {
    expect(indexOf({ index: 'a'.repeat(1_000_000) })).toBe(`${'a'.repeat(200)}…`);
  });
});
