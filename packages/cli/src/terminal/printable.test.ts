import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.ts';
import { safeLine } from './printable.ts';
import { styleFor } from './style.ts';

const ESC = '\u001b';

describe('a printed line', () => {
  it('has no control character from outside', () => {
    const line = `a${ESC}[31mb\u0007\u009b1m\u007f\nc\r\u202ed\u2028e\u0085`;
    expect(safeLine(line, false)).toBe('a�[31mb��1m� c �d e�');
    expect(safeLine(line.replace('[31m', '[8m'), true)).toBe('a�[8mb��1m� c �d e�');
  });

  it('keeps the styles of this program on a terminal with colour', () => {
    const { bold, mark, red } = styleFor({ color: true });
    const line = `${bold(red('error:'))} ${mark('found')}`;
    expect(safeLine(line, true)).toBe(line);
    expect(safeLine(line, false)).not.toContain(ESC);
  });

  it.each([
    ['::error file=x::no', '\\::error file=x::no'],
    ['    ::set-output name=a::b', '    \\::set-output name=a::b'],
    ['\u00a0\u3000::warning::x', '\u00a0\u3000\\::warning::x'],
    ['\n::error::x', ' \\::error::x'],
    ['see ##[error]x and ##vso[task.complete]', 'see ##\\[error]x and ##\\vso[task.complete]'],
    ['a::b', 'a::b'],
    ['## heading', '## heading'],
  ])('is no workflow command: %j', (line, printed) => {
    expect(safeLine(line, false)).toBe(printed);
  });
});

describe('printed JSON', () => {
  it('escapes what controls a terminal or a runner and keeps the value', () => {
    const value = { [`k${ESC}\u009b`]: '\u007f\u0085\u2028\u202e\u2066 ##[error]x ##vso[y] é日' };
    const text = jsonText(value);
    expect(text).toMatch(/^[ -~é日]*$/);
    expect(text).not.toMatch(/##\[|##vso/);
    expect(JSON.parse(text)).toEqual(value);
    expect(safeLine(text, false)).toBe(text);
  });

  it('writes bigints as texts', () => {
    expect(jsonText({ id: 2n ** 60n })).toBe('{"id":"1152921504606846976"}');
  });
});
