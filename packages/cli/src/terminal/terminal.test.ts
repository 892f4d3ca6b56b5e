import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { errorReport } from './errors/error-report.ts';
import { bytes, count, duration, plural, rate, snapshotName } from './figures.ts';
import { progressLine } from './progress.ts';
import { styleFor } from './style.ts';
import { table } from './table.ts';
import { wantsColor } from './terminal.ts';
import { cut, pad, printable, width, wrap } from './text.ts';

const plain = styleFor({ color: false });

describe('width of text', () => {
  it('never lets control characters reach the terminal', () => {
    expect(printable('a\u001b[31mred\u0007\n\tb\u202e')).toBe('a�[31mred�  b�');
  });

  it('cuts by columns and never inside a character', () => {
    expect(cut('日本語テキスト', 7)).toBe('日本語…');
    expect(cut('👩‍👩‍👧‍👦 family', 4)).toBe('👩‍👩‍👧‍👦…');
    expect(cut('short', 5)).toBe('short');
    expect(width(cut('a long line of words', 10))).toBeLessThanOrEqual(10);
  });

  it('wraps texts of megabytes, with and without a limit, in one pass', () => {
    const text = 'word (lhs '.repeat(200_000);
    expect(wrap(text, Number.POSITIVE_INFINITY)).toEqual([text]);
    expect(wrap(text, 4)).toHaveLength(400_001);
  });

  it('wraps at blanks and leaves long words whole', () => {
    expect(wrap('one two three', 9)).toEqual(['one two', '  three']);
    expect(wrap('a_word_that_is_too_long b', 8, '    ')).toEqual([
      'a_word_that_is_too_long',
      '    b',
    ]);
    expect(wrap('日本 語テ', 8)).toEqual(['日本', '  語テ']);
  });

  it('never breaks a command in parentheses', () => {
    expect(wrap('3 snapshots behind (lhs index sync incidents) now', 24)).toEqual([
      '3 snapshots behind',
      '  (lhs index sync incidents)',
      '  now',
    ]);
  });

  it('pads wide characters by their columns', () => {
    expect(pad('日本', 6)).toBe('日本  ');
    expect(pad('7', 3, 'right')).toBe('  7');
  });
});

describe('formatted figures', () => {
  it('writes figures as people read them', () => {
    expect(count(446015)).toBe('446,015');
    expect([rate(92_133), rate(812), rate(2_300_000)]).toEqual(['92k', '812', '2.3M']);
    expect([duration(2.14), duration(412.4), duration(5100), duration(200_000)]).toEqual([
      '2.1 ms',
      '412 ms',
      '5.1 s',
      '3 min 20 s',
    ]);
    expect([bytes(999), bytes(78_400_000)]).toEqual(['999 B', '78.4 MB']);
    expect([snapshotName('8412345678903325'), snapshotName('12')]).toEqual(['8412…3325', '12']);
    expect([plural(1, 'hit'), plural(0, 'hit')]).toEqual(['1 hit', '0 hits']);
  });
});

describe('text tables', () => {
  it('aligns columns and cuts the last one to the terminal', () => {
    const lines = table(
      [{ title: 'index' }, { title: 'rows', align: 'right' }, { title: 'note' }],
      [
        ['commits', '446,015', 'a very long remark that does not fit'],
        ['日本', '7', 'x'],
      ],
      40,
    );
    expect(lines).toEqual([
      'index       rows  note',
      'commits  446,015  a very long remark th…',
      '日本           7  x',
    ]);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(40);
  });
});

describe('narrow terminals', () => {
  it('cut the widest columns of text, never figures', () => {
    const columns = [{ title: 'name' }, { title: 'rows', align: 'right' as const }, { title: 'x' }];
    const lines = table(columns, [['a very long name', '1,234,567,890', 'note']], 30);
    expect(lines[1]).toBe('a very l…  1,234,567,890  note');
  });

  it('give the bar what room is left', () => {
    const p = { phase: 'reading' as const, docs_done: 50, docs_total: 100 };
    for (const columns of [120, 80, 60, 40]) {
      const line = progressLine('incidents', p, 1000, columns);
      expect(line).toMatch(/50 % {2}50 of 100 rows/);
      if (columns > 60) expect(width(line)).toBeLessThanOrEqual(columns);
      expect(line.includes('█')).toBe(columns > 60);
    }
  });
});

describe('colour', () => {
  it('follows NO_COLOR, then FORCE_COLOR, then the terminal', () => {
    expect(wantsColor({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
    expect(wantsColor({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsColor({ TERM: 'dumb' }, true)).toBe(false);
    expect(wantsColor({}, true)).toBe(true);
    expect(wantsColor({}, false)).toBe(false);
  });
});

describe('progress', () => {
  it('draws share, rows, rate and what is left', () => {
    const line = progressLine(
      'incidents',
      { phase: 'reading', docs_done: 250, docs_total: 1000 },
      500,
    );
    expect(line).toBe(
      'incidents  reading   █████░░░░░░░░░░░░░░░  25 %  250 of 1,000 rows  500 rows/s  1.5 s left',
    );
  });
});

describe('progress of a step that counts nothing for a while', () => {
  it('shows the step and its time, and no percentage that stands still', () => {
    const p = { phase: 'flushing' as const, docs_done: 439_254, docs_total: 442_089 };
    expect(progressLine('commits', p, 20_000, 80, 900)).toMatch(/flushing .* 99 % {2}439,254 of/);
    expect(progressLine('commits', p, 20_000, 80, 4200)).toBe(
      'commits  flushing  ████████████████████  439,254 rows  for 4 s',
    );
  });

  it('rounds nothing up to 100 % and shows no time below a second', () => {
    const p = { phase: 'reading' as const, docs_done: 999, docs_total: 1000 };
    expect(progressLine('t', p, 1000)).toMatch(/99 % {2}999 of 1,000 rows {2}999 rows\/s$/);
  });
});

describe('errors', () => {
  it('draws a caret under the place and says what is next', () => {
    const text = 'subjct:timeout AND repo:git';
    const error = new LhsError('invalid_query', 'field "subjct" is not in index "commits"', {
      place: { text, from: 0, to: 6 },
      hint: 'did you mean "subject"?',
    });
    const report = errorReport(error, plain, 80);
    expect(report.exit).toBe(2);
    expect(report.lines).toEqual([
      'error: field "subjct" is not in index "commits"',
      '  subjct:timeout AND repo:git',
      '  ^^^^^^',
      '  did you mean "subject"?',
    ]);
    expect(report.body).toMatchObject({ error: { code: 'invalid_query', status: 400 } });
  });

  it('cuts a long query around the place', () => {
    const text = `${'word '.repeat(500)}bad^^${' word'.repeat(500)}`;
    const from = text.indexOf('bad');
    const report = errorReport(
      new LhsError('invalid_query', 'no', { place: { text, from, to: from + 3 } }),
      plain,
      60,
    );
    expect(width(report.lines[1])).toBeLessThanOrEqual(60);
    const at = report.lines[2].indexOf('^');
    expect(report.lines[1].slice(at, at + 3)).toBe('bad');
  });

  it('ends lines at blanks for a person; commands stay whole, a program has a line each', () => {
    const hint = `fields: ${'a_field, '.repeat(12)}z\nlhs index ${'create '.repeat(14)}`;
    const error = new LhsError('invalid_argument', `no field\u001b ${'x'.repeat(70)} y`, { hint });
    const { lines } = errorReport(error, plain, 80);
    expect(lines.slice(0, 2)).toEqual([`error: no field�`, `  ${'x'.repeat(70)} y`]);
    expect(lines.slice(2, -1).every((line) => width(line) <= 80 && /[,z]$/.test(line))).toBe(true);
    expect(lines.at(-1)).toBe(`  lhs index ${'create '.repeat(14)}`);
    expect(errorReport(error, plain, Number.POSITIVE_INFINITY).lines).toHaveLength(3);
  });

  it('names flags instead of the fields of a request', () => {
    const error = new LhsError('limit_exceeded', '"limit" is 20000: at most 10000', {
      hint: 'go further with "search_after": the "sort" of the last hit',
    });
    expect(errorReport(error, plain, 80).lines).toEqual([
      'error: --limit is 20000: at most 10000',
      '  go further with --after: the "sort" of the last hit',
    ]);
    expect(errorReport(error, plain, 80).body).toMatchObject({
      error: { message: '"limit" is 20000: at most 10000' },
    });
  });

  it('calls a bug a bug', () => {
    const report = errorReport(new TypeError('x is not a function'), plain, 80);
    expect(report.exit).toBe(1);
    expect(report.lines.join('\n')).toContain('this is a bug in lhs');
  });
});
