import { describe, expect, it } from 'vitest';
import { sharedEnds, withoutMidnight } from './shared-ends.ts';

const dates = ['01T07:16:45Z', '02T00:00:00Z', '03T00:00:00Z', '04T01:00:00Z', '30T00:00:00Z'];

describe('what the texts of a column share', () => {
  it.each<[string, (string | null)[], boolean, string, string]>([
    ['a month', dates.map((day) => `2004-03-${day}`), false, '2004-03-', 'Z'],
    ['a century, which is no part', dates.map((day, i) => `200${i}-03-${day}`), false, '', 'Z'],
    ['few dates', ['2004-03-01T07:16:45Z', '2004-03-01T07:16:46Z'], false, '', ''],
    ['other texts', Array(6).fill('2004-03-01'), false, '', ''],
    ['no date', [...dates.map((day) => `2004-03-${day}`), null], false, '', ''],
    [
      'a file of keys',
      [...'12345'].map((n) => `60e8665c8ce602ec:1${n}`),
      true,
      '60e8665c8ce602ec:',
      '',
    ],
    ['starts of keys', [...'12345'].map((n) => `78f52c0${n}*`), true, '', '*'],
    ['short keys', [...'12345'].map((n) => `a:${n}`), true, '', ''],
  ])('%s', (_, texts, isKey, start, end) => {
    expect(sharedEnds(texts, isKey)).toEqual({ start, end });
  });
});

describe('dates without a time of day', () => {
  const hit = (at: string | null, due: string) => ({ values: { at, due, note: 'x' } });
  it('are days if all of a name are', () => {
    const hits = [
      hit('2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z'),
      hit(null, '2025-01-02T01:00:00Z'),
    ];
    expect(withoutMidnight(hits)).toEqual([hit('2025-01-01', '2025-01-01T00:00:00Z'), hits[1]]);
  });
});
