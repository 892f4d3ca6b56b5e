import { describe, expect, it } from 'vitest';
import { joinedWords } from './joined-words.ts';

const SEARCH = {
  args: { index: {}, query: {} },
  flags: {
    limit: { type: 'option', char: 'n' },
    facet: { type: 'option', aliases: ['field'] },
    hydrate: { type: 'boolean' },
  },
};
const PARSE = { args: { query: {} }, flags: SEARCH.flags };
const LIST = { args: { index: {} }, flags: SEARCH.flags };

describe('words of a text', () => {
  it.each([
    [['i'], ['--', 'i']],
    [
      ['i', 'pizza slice'],
      ['--', 'i', 'pizza slice'],
    ],
    [
      ['i', 'pizza', 'slice'],
      ['--', 'i', 'pizza slice'],
    ],
    [
      ['i', 'a', '--hydrate', 'b', '-n', '5', 'c'],
      ['--hydrate', '-n', '5', '--', 'i', 'a b c'],
    ],
    [
      ['i', '-country:US'],
      ['--', 'i', '-country:US'],
    ],
    [
      ['i', 'a', '-name:b', '-n5'],
      ['-n5', '--', 'i', 'a -name:b'],
    ],
    [
      ['i', 'a', '-i'],
      ['-i', '--', 'i', 'a'],
    ],
    [
      ['i', '-n=5', '-5'],
      ['-n=5', '--', 'i', '-5'],
    ],
    [
      ['--facet', 'a', 'i', 'b'],
      ['--facet', 'a', '--', 'i', 'b'],
    ],
    [
      ['i', '--field', 'a', 'b'],
      ['--field', 'a', '--', 'i', 'b'],
    ],
    [
      ['i', '--facet=a', 'b'],
      ['--facet=a', '--', 'i', 'b'],
    ],
    [
      ['i', '--limit', '-1', 'b'],
      ['--limit', '-1', '--', 'i', 'b'],
    ],
    [
      ['i', '--limit'],
      ['i', '--limit'],
    ],
    [
      ['i', '--nope', 'b'],
      ['--nope', '--', 'i', 'b'],
    ],
    [
      ['-x', 'i'],
      ['-x', '--', 'i'],
    ],
    [
      ['i', 'a', '--', '-b', 'c'],
      ['--', 'i', 'a -b c'],
    ],
    [
      ['i', '--', '-b', '--limit', '2'],
      ['--', 'i', '-b', '--limit', '2'],
    ],
  ])('of a search: %j', (typed, joined) => {
    expect(joinedWords(typed, SEARCH)).toEqual(joined);
  });

  it('without an argument before them', () => {
    expect(joinedWords(['-ab', 'c'], PARSE)).toEqual(['--', '-ab c']);
  });

  it('stay as they are where the last argument is no text', () => {
    expect(joinedWords(['i', 'x', '-y'], LIST)).toEqual(['i', 'x', '-y']);
  });
});
