import type { Field, NearlyTyped, Type } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { noteLines, oneRowNotes, readingLine } from './import-report.ts';

const PHONES: NearlyTyped = {
  ...{ column: 'phone', kind: 'number', values: 252, fitting: 250 },
  exceptions: ['NA', '-'],
};

describe('the note about a column that is nearly of a type', () => {
  it.each([
    [{}, 'add --null NA,- (--type phone=string keeps it)'],
    [{ type: 'double' }, 'add --type phone=double --null NA,- (--type phone=string keeps it)'],
    [{ fitting: 252, exceptions: [], type: 'double' }, 'add --type phone=double (--type'],
    // values that somebody may need
    [{ exceptions: ['unsure'] }, 'are "unsure"; --type phone=string keeps it'],
    // advice that the command would refuse
    [{ exceptions: ['1809,1829'] }, 'are "1809,1829"; --type phone=string keeps it'],
    [{ exceptions: ['1809,1829'], type: 'double' }, '; --type phone=string keeps it'],
  ] as const)('names flags that the command takes: %j', (more, advice) => {
    const nearly: NearlyTyped = { ...PHONES, ...more };
    expect(noteLines([{ note: 'nearly_typed', ...nearly }])[0]).toContain(advice);
  });
});

describe('notes about many columns', () => {
  it('are one line for those that are like others', () => {
    const years = Array.from({ length: 60 }, (_, i) => `${1962 + i}`);
    const dates: NearlyTyped = { ...PHONES, column: 'd', kind: 'date', dateFormats: ['%d'] };
    const notes = [...years.map((column) => ({ ...PHONES, column })), dates].map((one) => ({
      note: 'nearly_typed' as const,
      ...one,
    }));
    const lines = noteLines(notes);
    expect(lines).toHaveLength(5);
    expect(lines[2]).toMatch(/^note: 1964 is text: /);
    expect(lines[3]).toBe(
      'note: 57 more columns are texts of numbers: 1965, 1966, 1967, 1968, 1969, …',
    );
    expect(noteLines(notes.slice(0, 5))).toHaveLength(5);
    const lists = years.map((column) => ({
      note: 'lists_as_text' as const,
      ...{ column, values: 3, lists: 1 },
    }));
    expect(noteLines(lists).at(-1)).toBe(
      'note: 57 more columns have lists, kept as JSON text: 1965, 1966, 1967, 1968, 1969, …',
    );
  });
});

describe('the note about objects of too many keys', () => {
  it('names the flag that makes their keys rows', () => {
    const [line] = noteLines([{ note: 'wide_objects', columns: ['packages'] }], 1);
    expect(line).toContain('(--rows-at packages makes each key a row; ');
    // the rows are found already
    expect(noteLines([{ note: 'wide_objects', columns: ['a'] }], 2)[0]).not.toContain('--rows-at');
  });
});

describe('the note on numbers that are dates', () => {
  it('names their format', () => {
    const found = { column: 'date', kind: 'date', values: 9, fitting: 9, exceptions: [] } as const;
    const how = { isWhole: true, dateFormats: ['%Y%m%d'] } as const;
    expect(noteLines([{ note: 'nearly_typed', ...found, ...how }])).toEqual([
      'note: date is a number: 100 % of its values are dates; add --date-format %Y%m%d ' +
        '(--type date=long keeps it)',
    ]);
  });
});

describe('how an input was read', () => {
  it('names rows of another kind', () => {
    const rows = { path: [], isGuess: true, unlike: ['$meta', 'end'] };
    const read = { format: 'json', kind: 'json', compression: null } as const;
    const csv = { hasHeader: true, header: { line: 1, isTitle: false }, isHeaderLikeRow: false };
    expect(readingLine({ ...read, ...csv, delimiter: null, trim: false, rows })).toContain(
      "(--rows-of keys, guessed; rows of another kind: '$meta', end; --input-format ndjson",
    );
  });
});

describe('the note on JSON of one row', () => {
  const field = (name: string, type: Type): Field => ({ id: 0, name, required: false, type });
  const text: Type = { kind: 'string' };
  const list: Type = { kind: 'list', elementId: 0, elementRequired: false, element: text };
  const struct = (...names: string[]): Type => {
    return { kind: 'struct', fields: names.map((name) => field(name, text)) };
  };
  const noteOf = (...fields: Field[]) =>
    noteLines(oneRowNotes({ schemaId: 0, fields, identifierFieldIds: [] })).join();

  it('names where rows may be', () => {
    expect(noteOf(field('a', text))).toBe('');
    expect(noteOf(field('data', list), field('my keys', struct('x')), field('n', text))).toMatch(
      /^note: 1 row with .*; --rows-at data or --rows-at 'my keys' reads rows inside of it$/,
    );
  });

  it('knows a data frame by columns', () => {
    expect(noteOf(field('a', struct('0', '1')), field('b', struct('0', '1')))).toContain(
      "df.to_json(FILE, orient='records', lines=True)",
    );
  });
});
