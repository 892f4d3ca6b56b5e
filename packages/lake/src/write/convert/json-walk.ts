/** What is called for the parts of a JSON text, with the offsets of each. */
export interface JsonVisitor {
  open(isObject: boolean, from: number): void;
  close(to: number): void;
  /** A key, with its quotes. */
  key(from: number, to: number): void;
  /** A text, a number, true, false or null. */
  scalar(from: number, to: number): void;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [BRACE, BRACKET, BRACE_END, BRACKET_END] = [0x7b, 0x5b, 0x7d, 0x5d];
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Calls a visitor for each part of a JSON text. Text that is not JSON is left to its reader. */
export function walkJson(text: string, visitor: JsonVisitor): void {
  const stack: boolean[] = [];
  let isKey = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === BRACE || code === BRACKET) {
      isKey = code === BRACE;
      stack.push(isKey);
      visitor.open(isKey, at++);
    } else if (code === BRACE_END || code === BRACKET_END) {
      stack.pop();
      visitor.close(++at);
    } else if (code === COMMA) {
      isKey = stack.at(-1) === true;
      at++;
    } else if (code === COLON || isBlank(code)) {
      at++;
    } else {
      const end = code === QUOTE ? stringEnd(text, at) : scalarEnd(text, at);
      if (isKey) visitor.key(at, end);
      else visitor.scalar(at, end);
      isKey = false;
      at = end;
    }
  }
}

function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function scalarEnd(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === BRACE_END || code === BRACKET_END || isBlank(code)) break;
  }
  return at;
}

/** The key at an offset. */
export function keyAt(text: string, from: number, to: number): string {
  const raw = text.slice(from + 1, to - 1);
  return raw.includes('\\') ? JSON.parse(text.slice(from, to)) : raw;
}
