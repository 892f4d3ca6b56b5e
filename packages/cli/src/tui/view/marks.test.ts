import { describe, expect, it } from 'vitest';
import { markedSpans, marksOf } from './marks.ts';

const coordinates = { identifier: [{ name: 'id', value: '1' }] };
const asked = (query: string, mode: 'lexical' | 'semantic' = 'lexical') => ({
  ...{ mode, query, filters: [], sort: [], kept: {}, limit: 10 },
});

describe('marks in a hit', () => {
  it('follow the highlights, or whole words of the query if there are none', () => {
    const highlight = {
      title: [
        [
          { text: 'Leaked', marked: true },
          { text: ' token', marked: false },
        ],
      ],
    };
    const hit = { coordinates, key: 'id=1', score: 1 };
    expect([...marksOf({ ...hit, highlight }, asked('leak'))]).toEqual(['leaked']);
    const query = 'Leak AND "two words" service:billing n:[1 TO 2] pre*';
    expect([...marksOf(hit, asked(query))]).toEqual(['leak', 'two', 'words', 'billing', '1', '2']);
    expect(marksOf(hit, asked('leak', 'semantic')).size).toBe(0);
    const tones = markedSpans('a Leak, leaking', new Set(['leak'])).map(({ tone }) => tone);
    expect(tones).toEqual(['plain', 'plain', 'mark', 'plain', 'plain']);
  });
});
