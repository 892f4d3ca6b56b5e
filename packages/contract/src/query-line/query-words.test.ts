import { describe, expect, it } from 'vitest';
import { queryWords } from './query-words.ts';

const kinds = (text: string) =>
  queryWords(text)
    .filter((word) => word.kind !== 'blank')
    .map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`);

describe('the words of a query line', () => {
  it('are fields, operators, phrases, patterns and terms', () => {
    expect(kinds('service:bill* AND -"gate way"~2 OR sev:[1 TO 5]')).toEqual([
      'field service:',
      'pattern bill*',
      'operator AND',
      'sign -',
      'quoted "gate way"',
      'sign ~',
      'word 2',
      'operator OR',
      'field sev:',
      'sign [',
      'word 1',
      'operator TO',
      'word 5',
      'sign ]',
    ]);
  });

  it('cover any line without a gap', () => {
    for (const text of ['a:"un', '\\', 'x\\"y:z', ':::', '((', 'é👩‍👧:1', 'a:b:c "\\" d']) {
      const words = queryWords(text);
      expect(words.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text);
    }
  });

  it('know the field that a value belongs to', () => {
    const values = queryWords('service:bil x').filter((word) => word.kind === 'word');
    expect(values.map((word) => word.field)).toEqual(['service', undefined]);
  });
});
