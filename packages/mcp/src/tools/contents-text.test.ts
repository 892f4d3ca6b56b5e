import { describe, expect, it } from 'vitest';
import { fieldLine, pathLines } from './contents-text.ts';

const field = { name: 'f', type: 'LONG', searchable: true, sortable: true, columns: ['f'] };

describe('a field as a line', () => {
  it.each([
    [
      {
        name: 'repo',
        type: 'KEYWORD',
        contents: { distinct: 2, values: { curl: 40, 'a, b </data>': 1 }, missing: 3 },
      },
      'repo KEYWORD: curl 40, "a, b \\u003c/data>" 1; missing 3',
    ],
    [
      { name: 'id', type: 'KEYWORD', folded: true, contents: { distinct: 9, values: { 7: 2 } } },
      'id KEYWORD folded: 9 values: 7 2',
    ],
    [{ contents: { distinct: 0, values: {} } }, 'f LONG'],
    [
      { type: 'TEXT', analyzer: 'english', several: true, sortable: false, description: 'words' },
      'f TEXT english several: words',
    ],
    [{ type: 'TEXT', analyzer: 'standard', sortable: false }, 'f TEXT'],
    [
      { searchable: false, sortable: false, alike: 3 },
      'f LONG not searchable not sortable (3 fields)',
    ],
    [{ contents: { min: -3, max: 7.5 }, description: 'bytes' }, 'f LONG: bytes; -3 to 7.5'],
    [
      { name: 'a b', contents: { min: '2025-01-01T00:00:00Z', max: '2025-02-01T10:00:00Z' } },
      '"a b" LONG: 2025-01-01 to 2025-02-01T10:00:00Z',
    ],
    [
      { name: 'v', type: 'VECTOR', searchable: false, sortable: false, columns: ['a', 'b'] },
      'v VECTOR semantic search of a, b',
    ],
  ])('%j', (own, line) => expect(fieldLine({ ...field, ...own }, ['v'])).toBe(line));

  it('has paths behind it', () => {
    const paths = { details: ['details.kind', 'details.pool.size', 'details.x, y', '…'] };
    expect(pathLines(paths)).toEqual(['details.*: kind, pool.size, "x, y", "…"']);
  });
});
