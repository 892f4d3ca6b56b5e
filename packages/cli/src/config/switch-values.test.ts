import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import {
  joinedOrder,
  refuseFieldBehindSwitch,
  spacedValues,
  switchValues,
} from './switch-values.ts';

const flags = {
  highlight: { type: 'boolean' },
  'highlight-fields': { type: 'option' },
  hydrate: { type: 'boolean' },
  columns: { type: 'option' },
  exact: { type: 'boolean' },
  limit: { type: 'option' },
};

describe('a value of a switch', () => {
  it.each([
    [
      ['i', 'q', '--highlight=a,b'],
      ['i', 'q', '--highlight-fields=a,b'],
    ],
    [
      ['--hydrate=a', 'i'],
      ['--columns=a', 'i'],
    ],
    [
      ['i', '--highlight', '--limit=3'],
      ['i', '--highlight', '--limit=3'],
    ],
    [
      ['i', '--', '--highlight=a'],
      ['i', '--', '--highlight=a'],
    ],
  ])('%j', (argv, meant) => {
    expect(switchValues(argv, flags)).toEqual(meant);
  });

  it('is refused if the switch has none', () => {
    expect(() => switchValues(['i', '--exact=true'], flags)).toThrow(
      '--exact takes no value, and has "true"',
    );
  });
});

describe('a field behind a switch', () => {
  const fields = [{ name: 'title' }, { name: 'body' }];
  const backend = { describeIndex: async () => ({ fields }) } as unknown as BackendApi;
  const check = (...argv: readonly string[]) => refuseFieldBehindSwitch(argv, backend, 'i');

  it.each([
    ['--highlight', 'title', ['i', 'word', '--highlight', 'title']],
    ['--hydrate', 'title,body', ['i', '--hydrate', 'title,body', 'word']],
  ])('%s %s is refused', async (flag, word, argv) => {
    await expect(check(...argv)).rejects.toMatchObject({
      message: `"${word}" behind ${flag} is a word of the query`,
      hint: `write ${flag}=${word}, or the query before ${flag}`,
    });
  });

  it.each([
    [['i', 'title', '--highlight']],
    [['i', '--highlight', 'word']],
    [['i', '--highlight', '--hydrate']],
    [['i', '--', '--highlight', 'title']],
  ])('%j is accepted', async (argv) => {
    await expect(check(...argv)).resolves.toBeUndefined();
  });
});

describe('an order behind the field of --sort', () => {
  it.each([
    ['i --sort price desc', ['i', '--sort', 'price desc']],
    ['i q --sort a,price DESC --limit 2', ['i', 'q', '--sort', 'a,price DESC', '--limit', '2']],
    ['i --sort price descent', ['i', '--sort', 'price', 'descent']],
    ['i -- --sort price desc', ['i', '--', '--sort', 'price', 'desc']],
  ])('%s', (line, meant) => {
    expect(joinedOrder(line.split(' '))).toEqual(meant);
  });
});

describe('an order or a query that begins like a short flag', () => {
  it.each([
    ['i --sort -name', ['i', '--sort', ' -name']],
    ['i --sort=-name --limit 2', ['i', '--sort= -name', '--limit', '2']],
    ['i --filter -name:x', ['i', '--filter', ' -name:x']],
    ['i --sort -n 5', ['i', '--sort', '-n', '5']],
    ['i -- --sort -name', ['i', '--', '--sort', '-name']],
  ])('%s', (line, meant) => {
    expect(spacedValues(line.split(' '))).toEqual(meant);
  });
});
