import { exactZero } from '@lakehouse-search/contract/internal';

/**
 * The JSON of a value, with bigints as texts; `indent` blanks for people. Characters that control a
 * terminal or begin a workflow command are escaped, so that the text is the same value and safe to
 * print.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapedControls(plainJson(value, indent));
}

/** The same without escapes: for texts that `escapedControls` takes together. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, exactNumbers, indent);
}

/**
 * The text of `jsonText` in pieces: the members of an object one by one, and those of its lists. A
 * string of V8 ends at 512 MB; an answer with many long values does not.
 */
export function* jsonPieces(value: unknown, indent = 0): Generator<string> {
  yield* piecesOf(value, indent, 0);
}

/** Members at this depth are written whole: the hits of an answer. */
const WHOLE_DEPTH = 2;

function* piecesOf(value: unknown, indent: number, depth: number): Generator<string> {
  const list = Array.isArray(value);
  if (depth === WHOLE_DEPTH || !(list || isPlainObject(value))) {
    yield jsonText(value, indent).replaceAll('\n', `\n${' '.repeat(indent * depth)}`);
    return;
  }
  const members = Object.entries(value).filter(([, member]) => list || isWritten(member));
  const lineEnd = (by: number) => (indent === 0 ? '' : `\n${' '.repeat(indent * by)}`);
  yield list ? '[' : '{';
  for (const [i, [name, member]] of members.entries()) {
    const label = list ? '' : `${jsonText(name)}:${indent === 0 ? '' : ' '}`;
    yield `${i === 0 ? '' : ','}${lineEnd(depth + 1)}${label}`;
    yield* piecesOf(isWritten(member) ? member : null, indent, depth + 1);
  }
  yield `${members.length === 0 ? '' : lineEnd(depth)}${list ? ']' : '}'}`;
}

/** JSON has no text for these: objects leave them out, lists hold null instead. */
const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `JSON.stringify` writes bigints as texts with this, and -0 as it is. */
const exactNumbers = (key: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : exactZero(key, value);

/** JSON.stringify escapes C0 alone: left are DEL, C1, line ends of Unicode and bidi controls. */
const CONTROLS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|##(?=\[|[vV][sS][oO]\[)/g;

/** Writes control characters within quoted texts of JSON (or YAML) as `\uXXXX`. */
export function escapedControls(text: string): string {
  if (!mayHold(Buffer.from(text))) return text;
  return text.replace(CONTROLS, (found) =>
    found === '##' ? '#\\u0023' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Whether the UTF-8 of a text may hold such characters: DEL, the first bytes of C1 and of Unicode's
 * line ends and bidi controls, `##`. Searching bytes is ten times as fast as the expression.
 */
function mayHold(utf8: Buffer): boolean {
  return utf8.includes(0x7f) || utf8.includes(0xc2) || utf8.includes(0xe2) || utf8.includes('##');
}
