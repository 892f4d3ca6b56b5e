/** A line of text under a cursor; `at` counts UTF-16 units and is never inside a grapheme. */
export interface EditLine {
  readonly text: string;
  readonly at: number;
}
/** What a key does to a line. */
export type LineEdit =
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'backspace'
  | 'delete'
  | 'delete-word'
  | 'delete-before'
  | 'delete-behind';

const LONGEST = 16_384;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A line with the cursor behind its end. */
export function lineOf(text: string): EditLine {
  return { text, at: text.length };
}

/**
 * The text put in at the cursor; line ends become blanks, other controls go; 16,384 units at most.
 */
export function insert(line: EditLine, text: string): EditLine {
  const clean = [...text.replace(/[\t\r\n]+/g, ' ')].filter((c) => !isControl(c)).join('');
  if (line.text.length + clean.length > LONGEST) return line;
  return {
    text: line.text.slice(0, line.at) + clean + line.text.slice(line.at),
    at: line.at + clean.length,
  };
}

/** The text between two places replaced, the cursor behind it. */
export function replace(line: EditLine, from: number, to: number, text: string): EditLine {
  return { text: line.text.slice(0, from) + text + line.text.slice(to), at: from + text.length };
}

/** The line after an edit. */
export function edit(line: EditLine, how: LineEdit): EditLine {
  const { text, at } = line;
  switch (how) {
    case 'left':
      return { text, at: before(line) };
    case 'right':
      return { text, at: behind(line) };
    case 'home':
      return { text, at: 0 };
    case 'end':
      return { text, at: text.length };
    case 'word-left':
      return { text, at: wordStart(line) };
    case 'word-right':
      return { text, at: at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0) };
    case 'backspace':
      return replace(line, before(line), at, '');
    case 'delete':
      return replace(line, at, behind(line), '');
    case 'delete-word':
      return replace(line, wordStart(line), at, '');
    case 'delete-before':
      return replace(line, 0, at, '');
    case 'delete-behind':
      return { text: text.slice(0, at), at };
  }
}

function before({ text, at }: EditLine): number {
  const last = [...GRAPHEMES.segment(text.slice(0, at))].at(-1);
  return last === undefined ? 0 : last.index;
}

function behind({ text, at }: EditLine): number {
  const [first] = GRAPHEMES.segment(text.slice(at));
  return first === undefined ? at : at + first.segment.length;
}

function wordStart({ text, at }: EditLine): number {
  return at - (/\S*\s*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code < 32 || (code >= 127 && code < 160);
}
