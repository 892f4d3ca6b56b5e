import { expect, it } from 'vitest';
import { queryWords } from './query-words.ts';

const kinds = (text: string) =>
  queryWords(text)
    .filter((word) => word.kind !== 'blank')
    .map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`);

it('tells fields, operators, phrases, patterns and words apart', () => {
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

it('covers any line without a gap', () => {
  for (const text of ['a:"un', '\\', 'x\\"y:z', ':::', '((', 'é👩‍👧:1', 'a:b:c "\\" d']) {
    const words = queryWords(text);
    expect(words.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text);
  }
});

it('knows whose value a word is', () => {
  const values = queryWords('service:bil x').filter((word) => word.kind === 'word');
  expect(values.map((word) => word.field)).toEqual(['service', undefined]);
});
