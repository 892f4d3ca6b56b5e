/**
 * The JSON of a value, with bigints as texts; `indent` blanks for people. Characters that control a
 * terminal or begin a workflow command are escaped, so that the text is the same value and safe to
 * print.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapedControls(JSON.stringify(value, bigints, indent));
}

/** `JSON.stringify` writes bigints as texts with this. */
const bigints = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value;

/** JSON.stringify escapes C0 alone: left are DEL, C1, line ends of Unicode and bidi controls. */
const CONTROLS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|##(?=\[|[vV][sS][oO]\[)/g;

/** Writes control characters within quoted texts of JSON (or YAML) as `\uXXXX`. */
export function escapedControls(text: string): string {
  return text.replace(CONTROLS, (found) =>
    found === '##' ? '#\\u0023' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
