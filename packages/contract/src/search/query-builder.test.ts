import { describe, expect, it } from 'vitest';
import { q } from './query-builder.ts';

const at = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
const text = '2026-01-02T03:04:05.006Z';

describe('a Date in a query', () => {
  it('is compared as ISO 8601', () => {
    expect(q.term('at', at)).toEqual({ term: { field: 'at', value: text } });
    expect(q.terms('at', [at, 1])).toEqual({ terms: { field: 'at', values: [text, 1] } });
    const bounds = { gte: at, gt: undefined, lt: '2027-01-01' };
    expect(q.range('at', bounds)).toEqual({ range: { field: 'at', gte: text, lt: '2027-01-01' } });
  });

  it('is refused if it is invalid', () => {
    const wrong = expect.objectContaining({ code: 'invalid_argument' });
    expect(() => q.term('at', new Date('never'))).toThrow(wrong);
  });
});
