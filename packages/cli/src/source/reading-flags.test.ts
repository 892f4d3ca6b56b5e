import { describe, expect, it } from 'vitest';
import { readingOptions } from './reading-flags.ts';

describe('the notation of dates', () => {
  it('is that of strptime', () => {
    const { dateFormats } = readingOptions({ 'date-format': ['%d.%m.%Y', '%Y%m%d'] });
    expect(dateFormats).toEqual(['%d.%m.%Y', '%Y%m%d']);
  });

  it.each([
    ['YYYYMMDD', '%Y%m%d'],
    ['dd.MM.yy', '%d.%m.%y'],
    ['mm/dd/yyyy hh:mm:ss', "'%m/%d/%Y %H:%M:%S'"],
    ['DD MMM YYYY', "'%d %b %Y'"],
    ['iso', '%d.%m.%Y'],
  ])('is named for another one: %s', (format, meant) => {
    const message = `"${format}" of --date-format has no part of a date such as %Y`;
    const error = expect.objectContaining({ message, hint: `--date-format ${meant}` });
    expect(() => readingOptions({ 'date-format': [format] })).toThrow(error);
  });
});
