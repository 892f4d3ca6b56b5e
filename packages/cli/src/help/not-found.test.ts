import { describe, expect, it } from 'vitest';
import { notFound } from './not-found.ts';

const KNOWN = [
  ['search'],
  ['index', 'list'],
  ['index', 'facets'],
  ['index', 'pit', 'open'],
  ['source', 'rows'],
];

describe('an unknown command', () => {
  it.each([
    ['serch incidents', 'there is no command "serch"', 'did you mean lhs search?'],
    ['indx list', 'there is no command "indx"', 'did you mean lhs index list?'],
    ['indx lst', 'there is no command "indx"', 'did you mean lhs index list?'],
    ['index lst', 'there is no command "index lst"', 'did you mean lhs index list?'],
    ['index pit opn', 'there is no command "index pit opn"', 'did you mean lhs index pit open?'],
    ['index backup', 'there is no command "index backup"', 'did you mean lhs help backup?'],
    ['index zebra', 'there is no command "index zebra"', 'lhs index --help lists the commands'],
    ['nonsense', 'there is no command "nonsense"', 'lhs --help lists the commands'],
    [
      '--limit 3 search',
      '"--limit" comes before the command',
      'flags follow the command: lhs COMMAND --limit',
    ],
    [
      'index list x',
      'lhs index list does not take "x"',
      'lhs index list --help shows what it takes',
    ],
  ])('%s', (typed, message, hint) => {
    expect(notFound(typed.split(' '), KNOWN)).toEqual({ message, hint });
  });
});
