import { LakeError } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { adviceOf } from './import-advice.ts';

describe('the way out of twin keys', () => {
  it.each([
    [{ pairs: 1, path: '', isKeyed: true }, '--rename id=NAME renames "id"; --rename id=Id reads'],
    [{ pairs: 2, path: '', isKeyed: true }, '--type value=json reads each object'],
    [{ pairs: 2, path: '', isKeyed: true, rowsAt: 'api' }, '--type value=json reads each object'],
    [
      { pairs: 1, path: '', isKeyed: true, rowsAt: 'api' },
      '--rows-at api reads its members; --ren',
    ],
    [{ pairs: 3, path: 'a.b', isKeyed: false }, '--type a.b=json reads the object'],
  ])('renames one pair first, and reads several whole: %j', (more, way) => {
    const details = { option: 'twins', keys: ['Id', 'id'], rows: [1, 2], ...more };
    const error = adviceOf(new LakeError('invalid_argument', 'twins', { details }));
    expect(error).toMatchObject({ hint: expect.stringMatching(new RegExp(`^${way}`)) });
  });
});

describe('the way out of a value that does not fit', () => {
  it.each([
    [{ value: 'n/a', isNested: false }, '--null n/a reads it as NULL; --type v=string makes'],
    [{ value: '9007199254740993', isNested: false }, "--type 'v=decimal(38,6)' keeps such numbers"],
    [
      { value: '1700000000', expected: 'a timestamp (…)' },
      'a new table without --type keeps the number',
    ],
    [
      { value: '19151111', expected: 'a date (YYYY-MM-DD)' },
      '--date-format %Y%m%d reads it as a date',
    ],
    [{ value: '2.5', isNested: true }, '--type v=json makes a new table keep it'],
  ])('names flags that take it: %j', (more, way) => {
    const details = { option: 'value', column: 'v', ...more };
    const error = adviceOf(new LakeError('invalid_argument', 'unfit', { details }));
    expect(error).toMatchObject({ hint: expect.stringContaining(way) });
  });
});

describe('the way out of a column that the table has not', () => {
  it('is that of every command that appends rows', () => {
    const details = { option: 'unknown_column', column: 'nam', known: ['id', 'name'] };
    expect(adviceOf(new LakeError('invalid_argument', 'unknown', { details }))).toMatchObject({
      hint: '--rename nam=name reads it as name; lhs import --replace replaces rows and columns',
    });
  });
});

describe('the way out of files of several kinds', () => {
  it.each([
    [{ patterns: ['a b/*.csv', 'c.log'] }, "take files of one kind: 'a b/*.csv' or c.log"],
    [
      { patterns: [] },
      '--input-format csv (or ndjson, lines, parquet, arrow, avro, xlsx) names it',
    ],
  ])('is a pattern of one kind, else the name of the kind: %j', (more, hint) => {
    const details = { option: 'kind', ...more };
    expect(adviceOf(new LakeError('invalid_argument', 'kind', { details }))).toMatchObject({
      hint,
    });
  });
});
