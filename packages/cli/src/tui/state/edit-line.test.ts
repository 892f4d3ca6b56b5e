import { describe, expect, it } from 'vitest';
import { edit, insert, type LineEdit, lineOf } from './edit-line.ts';

const after = (text: string, ...edits: LineEdit[]) =>
  edits.reduce((line, how) => edit(line, how), lineOf(text));

describe('the query line', () => {
  it('moves and deletes by grapheme', () => {
    expect(after('a👩‍👩‍👧é', 'left', 'left')).toEqual({ text: 'a👩‍👩‍👧é', at: 1 });
    expect(after('a👩‍👩‍👧é', 'left', 'backspace')).toEqual({ text: 'aé', at: 1 });
    expect(after('ab', 'home', 'backspace')).toEqual({ text: 'ab', at: 0 });
    expect(after('ab', 'home', 'delete')).toEqual({ text: 'b', at: 0 });
    expect(after('ab', 'delete', 'right')).toEqual({ text: 'ab', at: 2 });
  });

  it('moves and deletes by word', () => {
    expect(after('one two  ', 'delete-word')).toEqual({ text: 'one ', at: 4 });
    expect(after('one two', 'word-left', 'word-left', 'word-right').at).toBe(3);
    expect(after('one two', 'word-left', 'delete-before')).toEqual({ text: 'two', at: 0 });
  });

  it('strips control characters from pasted text and limits its length', () => {
    expect(insert(lineOf('a'), 'b\r\nc\td\u001b[31m').text).toBe('ab c d[31m');
    const long = lineOf('x'.repeat(16_384));
    expect(insert(long, 'y')).toBe(long);
  });
});
