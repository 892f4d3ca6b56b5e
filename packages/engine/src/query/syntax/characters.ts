/** UTF-16 unit of a one-character string. */
const unit = (character: string): number => character.charCodeAt(0);

export const BACKSLASH = unit('\\');
export const COLON = unit(':');
export const QUOTE = unit('"');
export const SLASH = unit('/');
export const STAR = unit('*');
export const QUESTION = unit('?');

const table = (characters: string): Uint8Array => {
  const flags = new Uint8Array(128);
  for (const character of characters) flags[unit(character)] = 1;
  return flags;
};

/** Characters that end a word wherever they stand (a colon ends one too, but not in a value). */
const WORD_END = table('()[]{}"^~');
/** Characters that end a bound of a range. */
const BOUND_END = table('[]{}"');
/** Characters that mean something else than themselves at the head of a value. */
const VALUE_HEAD = table('/<>');

/** Typographic quotation marks at the head of a value, and what closes each: “a”, „a“, «a», »a«. */
export const TYPOGRAPHIC: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['”', '”'],
  ['‟', '”'],
  ['„', '“”'],
  ['«', '»'],
  ['»', '«'],
]);

const flagged = (flags: Uint8Array, code: number): boolean => code < 128 && flags[code] === 1;

/** White space as Unicode has it: what /\s/ matches in JavaScript. */
export function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  if (code === 0xa0 || code === 0x1680 || code === 0xfeff) return true;
  if (code >= 0x2000 && code <= 0x200a) return true;
  return (
    code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000
  );
}

/** True where a word cannot go on. NaN (the end of the text) ends every word. */
export function endsWord(code: number): boolean {
  return Number.isNaN(code) || isSpace(code) || flagged(WORD_END, code);
}

/** True where a bound of a range cannot go on. */
export function endsBound(code: number): boolean {
  return Number.isNaN(code) || isSpace(code) || flagged(BOUND_END, code);
}

/**
 * The value as a word after `field:`: a backslash before everything that would end it or mean
 * something else.
 */
export function escapeWord(value: string): string {
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (needsEscape(code, i === 0)) out += '\\';
    out += value[i];
  }
  return out;
}

/** A field's name, so that the colon after it is the first that counts. */
export function escapeField(name: string): string {
  let out = '';
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    const head = i === 0 && '-+!&|'.includes(name[i]);
    if (head || code === COLON || needsEscape(code, i === 0)) out += '\\';
    out += name[i];
  }
  return out;
}

/** A quoted string: backslashes before quotes and backslashes alone. */
export function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function needsEscape(code: number, first: boolean): boolean {
  if (code === BACKSLASH || code === STAR || code === QUESTION) return true;
  if (endsWord(code)) return true;
  return first && (flagged(VALUE_HEAD, code) || TYPOGRAPHIC.has(String.fromCharCode(code)));
}
