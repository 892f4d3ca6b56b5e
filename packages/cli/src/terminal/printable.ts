/**
 * Text from a table may hold anything: control characters (escape sequences among them) would reach
 * the terminal. Line ends and tabs become blanks, all else that controls becomes `�`.
 */
export function printable(text: string): string {
  if (isEven(text)) return text;
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (isBreak(code)) out += ' ';
    else if (code < 32 || (code >= 127 && code < 160) || isBidiControl(code)) out += '\ufffd';
    else out += char;
  }
  return out;
}

function isBreak(code: number): boolean {
  return code === 9 || code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

function isBidiControl(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/**
 * Nothing but Latin, Greek and Cyrillic letters, common signs and lines for drawing: each UTF-16
 * unit takes one column, and terminals agree on it.
 */
export function isEven(text: string): boolean {
  return EVEN.test(text);
}
const EVEN = new RegExp(
  `^[${[
    ...[' -~', '\u00a1-\u00ac', '\u00ae-\u02ff', '\u0370-\u0482', '\u048a-\u052f'],
    ...['\u2010-\u2027', '\u2030-\u205e', '\u2190-\u21ff', '\u2500-\u259f', '\u25b8'],
  ].join('')}]*$`,
);

/** The escape sequences of style.ts, and no others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const OWN_STYLES = /(\u001b\[(?:1|2|22|3[1236]|39|1;7|22;27)m)/;

/**
 * A line as it may be printed. Every text from outside loses its control characters, line ends
 * among them; `styled` keeps the escape sequences of style.ts. No line is a workflow command: a
 * GitHub runner runs `::name::` after leading blanks and `##[name]` anywhere, Azure Pipelines
 * `##vso[name]`.
 */
export function safeLine(line: string, styled: boolean): string {
  const text = styled
    ? line
        .split(OWN_STYLES)
        .map((part, i) => (i % 2 === 1 ? part : printable(part)))
        .join('')
    : printable(line);
  return text.replace(/^(\s*)::/, '$1\\::').replace(/##(?=\[|[vV][sS][oO]\[)/g, '##\\');
}
