/**
 * Query string -> tokens, for both syntaxes, in one pass from left to right:
 *
 * 1. White space separates; it is skipped.
 * 2. `f:` makes a field token and puts the lexer into value position: the next word may hold colons
 *    and begin with `-`, `+`, `!`, and is never an operator (`n:-5`, `at:2024-01-01T10:00:00Z`,
 *    `state:OR`). `https://a` is a word, too.
 * 3. `"…"`, `/…/` (at the head of a word only) and `[lo TO hi]` are one token each; so is `“…”`
 *    with white space or a sign behind it: elsewhere typographic quotes belong to words.
 * 4. `~n` and `^f` belong to what stands directly before them.
 * 5. Everything else is a word; an unescaped operator word is an operator.
 *
 * A backslash takes the next character as it is, except inside `/…/`, where only `\/` belongs to
 * the query string.
 */
import {
  BACKSLASH,
  COLON,
  endsWord,
  isSpace,
  QUESTION,
  QUOTE,
  SLASH,
  STAR,
  TYPOGRAPHIC,
} from './characters.ts';
import { lexRange } from './range.ts';
import { queryError, type Syntax, type Token } from './token.ts';

const OPERATORS = {
  default: new Map([
    ['AND', 'and'],
    ['OR', 'or'],
    ['NOT', 'not'],
  ] as const),
  kql: new Map([
    ['AND', 'and'],
    ['OR', 'or'],
    ['NOT', 'not'],
    ['and', 'and'],
    ['or', 'or'],
    ['not', 'not'],
  ] as const),
} as const;

/** What a run of plain characters says, with and without its escapes; `to` is where it ends. */
export interface Run {
  readonly text: string;
  readonly pattern: string;
  readonly wildcards: number;
  readonly escapes: number;
  readonly to: number;
}

/** A cursor over a query string. Throws invalid_query with the place of what is wrong. */
export class Lexer {
  readonly text: string;
  readonly syntax: Syntax;
  private at = 0;
  /** After `field:` or a comparison sign. */
  private inValue = false;
  /** What closes typographic quotation marks and stands nowhere in the rest of the text. */
  private readonly unclosed = new Set<string>();

  constructor(text: string, syntax: Syntax) {
    this.text = text;
    this.syntax = syntax;
  }

  /** The next token; `end` at the end, again and again. */
  next(): Token {
    const from = this.at;
    this.skipSpace();
    const apart = this.at > from || from === 0;
    const value = this.inValue;
    this.inValue = false;
    const start = this.at;
    if (start >= this.text.length) return { kind: 'end', from: start, to: start };
    return (
      this.punctuation(start, apart) ?? this.sign(start, value) ?? this.word(start, value, apart)
    );
  }

  private skipSpace(): void {
    while (this.at < this.text.length && isSpace(this.text.charCodeAt(this.at))) this.at++;
  }

  private punctuation(from: number, apart: boolean): Token | undefined {
    switch (this.text[from]) {
      case '(':
        return this.advance({ kind: 'open', from, to: from + 1 });
      case ')':
        return this.advance({ kind: 'close', from, to: from + 1 });
      case '/':
        return this.regex(from);
      case '[':
      case '{':
        return this.range(from);
      case '~':
      case '^':
        return this.suffix(from, apart);
      case ']':
      case '}':
        throw this.error(from, from + 1, `unexpected "${this.text[from]}"`, HINT_BRACKET);
    }
    return this.quoted(from);
  }

  /**
   * Signs that begin a clause: `-`, `+`, `!`, `&&`, `||`, and the comparisons, which are also signs
   * of a value.
   */
  private sign(from: number, value: boolean): Token | undefined {
    const { text } = this;
    const head = text[from];
    if (head === '>' || head === '<') return this.comparison(from);
    if (value) return undefined;
    if (text.startsWith('&&', from)) return this.advance({ kind: 'and', from, to: from + 2 });
    if (text.startsWith('||', from)) return this.advance({ kind: 'or', from, to: from + 2 });
    if (head !== '-' && head !== '+' && head !== '!') return undefined;
    const after = text.charCodeAt(from + 1);
    if (Number.isNaN(after) || isSpace(after)) {
      throw this.error(
        from,
        from + 1,
        `"${head}" stands alone`,
        `put it directly before a clause, or quote it: "${head}"`,
      );
    }
    if (head === '+') return this.advance({ kind: 'plus', from, to: from + 1 });
    return this.advance({ kind: 'not', sign: true, from, to: from + 1 });
  }

  private word(from: number, value: boolean, apart: boolean): Token {
    const isValue = value || this.beginsUrl(from);
    const run = this.run(from, isValue ? endsWord : endsWordOrColon);
    if (!isValue && this.text.charCodeAt(run.to) === COLON) return this.field(from, run);
    this.at = run.to;
    this.refuseQuote(from, run.to);
    const operator = OPERATORS[this.syntax].get(run.text as 'AND');
    if (operator !== undefined && run.escapes === 0 && !(value && !apart)) {
      if (value)
        throw this.error(from, run.to, `"${run.text}" stands where a value should`, HINT_OPERATOR);
      if (operator === 'not') return { kind: 'not', sign: false, from, to: run.to };
      return { kind: operator, from, to: run.to };
    }
    const { text, pattern, wildcards, to } = run;
    return { kind: 'word', text, pattern, wildcards, from, to };
  }

  private beginsUrl(from: number): boolean {
    URL_START.lastIndex = from;
    return URL_START.test(this.text);
  }

  private field(from: number, run: Run): Token {
    const any = run.pattern === '*';
    if (run.to === from)
      throw this.error(from, from + 1, 'a field name is missing before ":"', HINT_COLON);
    if (run.wildcards > 0 && !any) {
      throw this.error(
        from,
        run.to,
        `field name "${run.pattern}" has a wildcard`,
        'name one field, or join several clauses with OR',
      );
    }
    this.at = run.to + 1;
    this.inValue = true;
    return { kind: 'field', name: run.text, any, from, to: run.to };
  }

  /** Reads up to the first unescaped character at which `ends` says so. */
  run(from: number, ends: (code: number, at: number) => boolean): Run {
    const { text } = this;
    let plain = '';
    let pattern = '';
    let wildcards = 0;
    let escapes = 0;
    let to = from;
    for (let code: number; !ends((code = text.charCodeAt(to)), to); to++) {
      let character = text[to];
      if (code === BACKSLASH) {
        if (++to >= text.length)
          throw this.error(
            to - 1,
            to,
            'nothing follows the "\\" at the end',
            'write \\\\ for a backslash',
          );
        character = text[to];
        escapes++;
        if (character === '*' || character === '?' || character === '\\') pattern += '\\';
      } else if (code === STAR || code === QUESTION) {
        wildcards++;
      }
      plain += character;
      pattern += character;
    }
    return { text: plain, pattern, wildcards, escapes, to };
  }

  /** The quoted string at `from`; `to` is behind its closing quote. Undefined: none begins there. */
  readQuoted(from: number): { text: string; to: number } | undefined {
    if (this.text.charCodeAt(from) !== QUOTE) return this.readTypographic(from);
    const run = this.run(from + 1, isQuoteOrEnd);
    if (run.to >= this.text.length) {
      throw this.error(
        from,
        this.text.length,
        'a quotation mark is never closed',
        'add a " at the end, or write \\" for a literal one',
      );
    }
    return { text: run.text, to: run.to + 1 };
  }

  private readTypographic(from: number): { text: string; to: number } | undefined {
    const { text } = this;
    const closing = TYPOGRAPHIC.get(text[from]);
    if (closing === undefined || this.unclosed.has(closing)) return undefined;
    const closes = (at: number) => closing.includes(text[at]) && endsTypographic(text, at + 1);
    const run = this.run(from + 1, (code, at) => Number.isNaN(code) || closes(at));
    if (run.to < text.length) return { text: run.text.trim(), to: run.to + 1 };
    this.unclosed.add(closing);
    return undefined;
  }

  private quoted(from: number): Token | undefined {
    const read = this.readQuoted(from);
    if (read === undefined) return undefined;
    const { text, to: closed } = read;
    const prefix = this.text.charCodeAt(closed) === STAR;
    const to = prefix ? closed + 1 : closed;
    this.at = to;
    this.refuseGlued(from, to, this.text[to] === ':' ? HINT_QUOTED_FIELD : undefined);
    return { kind: 'quoted', text, prefix, from, to };
  }

  private regex(from: number): Token {
    const { text } = this;
    let pattern = '';
    let to = from + 1;
    for (; to < text.length && text.charCodeAt(to) !== SLASH; to++) {
      if (text.charCodeAt(to) !== BACKSLASH) pattern += text[to];
      else {
        to++;
        pattern += text[to] === '/' ? '/' : `\\${text[to] ?? ''}`;
      }
    }
    if (to >= text.length)
      throw this.error(from, text.length, 'the regular expression is never closed', HINT_SLASH);
    this.at = to + 1;
    this.refuseGlued(from, to + 1, HINT_SLASH);
    if (pattern === '')
      throw this.error(from, to + 1, 'the regular expression is empty', HINT_SLASH);
    return { kind: 'regex', pattern, from, to: to + 1 };
  }

  private range(from: number): Token {
    const token = lexRange(this, from);
    this.at = token.to;
    this.refuseGlued(from, token.to);
    return token;
  }

  /** `>x`, `>=x`, `<x`, `<=x`: a range that is open on one side. */
  private comparison(from: number): Token {
    const { text } = this;
    const inclusive = text[from + 1] === '=';
    const begin = from + (inclusive ? 2 : 1);
    const bound = this.readQuoted(begin) ?? this.run(begin, endsWord);
    const sign = text.slice(from, begin);
    if (bound.to === begin) {
      throw this.error(
        from,
        begin,
        `a value is missing after "${sign}"`,
        `write it without a space: "${sign}5"`,
      );
    }
    if ('wildcards' in bound && bound.wildcards > 0) {
      throw this.error(
        begin,
        bound.to,
        `"${text.slice(begin, bound.to)}" is no bound: it has a wildcard`,
        'write \\* or \\? for the character itself',
      );
    }
    this.at = bound.to;
    this.refuseGlued(from, bound.to);
    const side = { value: bound.text, inclusive };
    const at = { from, to: bound.to };
    return text[from] === '>'
      ? { kind: 'range', lower: side, ...at }
      : { kind: 'range', upper: side, ...at };
  }

  private suffix(from: number, apart: boolean): Token {
    const mark = this.text[from];
    let to = from + 1;
    while (isNumberPart(this.text, to)) to++;
    this.at = to;
    if (apart)
      throw this.error(
        from,
        to,
        `"${mark}" follows nothing`,
        `put it directly behind a clause, or quote it: "${mark}"`,
      );
    const digits = this.text.slice(from + 1, to);
    const ended = endsWord(this.text.charCodeAt(to)) && this.text[to] !== '"';
    if (!ended) to = this.run(to, endsWord).to;
    if (mark === '~') {
      if (digits === '' && ended) return { kind: 'tilde', value: undefined, from, to };
      if (!ended || !isDigits(digits))
        throw this.error(
          from,
          to,
          `"${this.text.slice(from, to)}" is no edit distance or slop`,
          'write a whole number, as in roam~1 or "a b"~3',
        );
      return { kind: 'tilde', value: Number(digits), from, to };
    }
    const factor = Number(digits);
    if (digits === '' || !ended || !Number.isFinite(factor)) {
      throw this.error(
        from,
        to,
        `"${this.text.slice(from, to)}" is no boost`,
        'write a number of at least 0, as in title:fox^2.5',
      );
    }
    return { kind: 'boost', factor, from, to };
  }

  private refuseQuote(from: number, to: number): void {
    if (this.text.charCodeAt(to) === QUOTE)
      throw this.error(
        from,
        to + 1,
        'a quotation mark stands inside a word',
        'put a space before it, or write \\"',
      );
    if ('[{'.includes(this.text[to] ?? ' '))
      throw this.error(to, to + 1, `unexpected "${this.text[to]}" inside a word`, HINT_BRACKET);
  }

  private refuseGlued(from: number, to: number, hint = 'put a space behind it'): void {
    const code = this.text.charCodeAt(to);
    if (!endsWord(code) || code === QUOTE) {
      throw this.error(
        to,
        to + 1,
        `"${this.text[to]}" is glued to "${clip(this.text.slice(from, to))}"`,
        hint,
      );
    }
  }

  private advance<T extends Token>(token: T): T {
    this.at = token.to;
    return token;
  }

  /** An error of this text. */
  error(from: number, to: number, message: string, hint?: string): Error {
    return queryError(this.text, { from, to }, message, hint);
  }
}

/** A scheme and the character of a word behind it; in a value, `//` is an empty regular expression. */
const URL_START = /[a-z][a-z0-9+.-]*:\/\/[^\s/()[\]{}"^~]/iy;

const HINT_BRACKET =
  'ranges are written field:[lo TO hi]; escape the character with a backslash, or quote the words';
const HINT_OPERATOR = 'quote it to search for the word itself';
const HINT_COLON = 'write a backslash before a colon that belongs to a word, or quote the words';
const HINT_QUOTED_FIELD = 'write the name of a field without quotation marks';
const HINT_SLASH =
  'a value that begins with "/" is a regular expression up to the next "/"; quote it if ' +
  'it is a path';

const endsWordOrColon = (code: number): boolean => code === COLON || endsWord(code);
const isQuoteOrEnd = (code: number): boolean => code === QUOTE || Number.isNaN(code);
const endsTypographic = (text: string, at: number): boolean =>
  text[at] === '*' || (text[at] !== '"' && endsWord(text.charCodeAt(at)));
const isDigits = (text: string): boolean => /^[0-9]{1,9}$/.test(text);
const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Digits, points and exponents: `1`, `0.5`, `1e-7`. */
function isNumberPart(text: string, at: number): boolean {
  const character = text[at];
  if (character === undefined) return false;
  if ((character >= '0' && character <= '9') || character === '.') return true;
  if (character === 'e' || character === 'E') return true;
  return (character === '-' || character === '+') && (text[at - 1] === 'e' || text[at - 1] === 'E');
}
