/**
 * Regular expression -> tree. The syntax is what Lucene and JavaScript share: literals, `.`,
 * `[a-z]`, `[^…]`, `( )`, `(?: )`, `|`, `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, and the escapes of
 * regex-escapes.ts. The whole term has to match, so `^` at the beginning and `$` at the end say
 * nothing new and are allowed there only. No back-references, no look-around. One pass.
 */
import { LIMITS } from '../../base/limits.ts';
import { readEscape } from './regex-escapes.ts';
import { complement, merge, type RegexNode, regexError } from './regex-node.ts';
import { type CodePointRange, EVERY_POINT } from './utf8.ts';
import { refuseLong } from './wildcard.ts';

/**
 * A cursor over a pattern. Throws invalid_query with the place inside the pattern, or
 * limit_exceeded.
 */
export class RegexParser {
  readonly pattern: string;
  private at = 0;
  private depth = 0;

  constructor(pattern: string) {
    refuseLong(pattern);
    this.pattern = pattern;
  }

  /** The tree of the whole pattern. */
  parse(): RegexNode {
    const node = this.choice();
    if (this.at < this.pattern.length)
      throw this.error('unexpected ")"', 'write \\) for the character');
    return node;
  }

  private choice(): RegexNode {
    const parts = [this.sequence()];
    while (this.pattern[this.at] === '|') {
      this.at++;
      parts.push(this.sequence());
    }
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts };
  }

  private sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at])) {
      if (!this.anchor()) parts.push(this.repeated(this.atom()));
    }
    return parts.length === 1 ? parts[0] : { kind: 'sequence', parts };
  }

  private anchor(): boolean {
    const sign = this.pattern[this.at];
    if (sign !== '^' && sign !== '$') return false;
    const place = sign === '^' ? 0 : this.pattern.length - 1;
    if (this.at !== place) {
      throw this.error(
        `"${sign}" inside a pattern`,
        `the whole term has to match; write \\${sign} for the character`,
      );
    }
    this.at++;
    return true;
  }

  private atom(): RegexNode {
    const sign = this.pattern[this.at];
    switch (sign) {
      case '(':
        return this.group();
      case '[':
        return this.bracket();
      case '.':
        this.at++;
        return { kind: 'set', ranges: EVERY_POINT };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.error(
          `nothing stands before "${sign}" to repeat`,
          `write \\${sign} for the character`,
        );
    }
    return { kind: 'point', point: this.point() };
  }

  private group(): RegexNode {
    const open = this.at++;
    if (this.pattern[this.at] === '?') {
      if (this.pattern[this.at + 1] !== ':') {
        throw this.error(
          '"(?" begins nothing that is supported',
          'look-around, names and flags are not; (?:…) is',
        );
      }
      this.at += 2;
    }
    if (++this.depth > MAX_DEPTH) {
      const message = `the pattern is nested more than ${MAX_DEPTH} deep`;
      throw regexError(this.pattern, open, open + 1, message, 'remove groups', 'limit_exceeded');
    }
    const node = this.choice();
    this.depth--;
    if (this.pattern[this.at] !== ')') {
      throw regexError(
        this.pattern,
        open,
        open + 1,
        'a "(" is never closed',
        'add a ")" or write \\(',
      );
    }
    this.at++;
    return node;
  }

  /**
   * One count at most; a `?` behind it (lazy, elsewhere) changes nothing, since the whole term has
   * to match.
   */
  private repeated(part: RegexNode): RegexNode {
    const sign = this.pattern[this.at];
    let node = part;
    if (sign === '{') node = this.counted(part);
    else if (sign === '*' || sign === '+' || sign === '?') {
      this.at++;
      const max = sign === '?' ? 1 : undefined;
      node = { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max };
    }
    if (node !== part && this.pattern[this.at] === '?') this.at++;
    return node;
  }

  private counted(part: RegexNode): RegexNode {
    const close = this.pattern.indexOf('}', this.at);
    const body = close < 0 ? '' : this.pattern.slice(this.at + 1, close);
    const found = /^([0-9]{1,9})(,([0-9]{0,9}))?$/.exec(body);
    if (found === null) {
      throw this.error('"{" begins no count', 'write {3}, {3,} or {3,5}; \\{ for the character');
    }
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? undefined : Number(found[3]);
    if (max !== undefined && max < min)
      throw this.error(`{${body}} counts backwards`, `write {${max},${min}}`);
    if (Math.max(min, max ?? 0) > LIMITS.regexRepeat) {
      const message = `{${body}} repeats more than ${LIMITS.regexRepeat} times`;
      throw regexError(this.pattern, this.at, close + 1, message, 'use *', 'limit_exceeded');
    }
    this.at = close + 1;
    return { kind: 'repeat', part, min, max };
  }

  private bracket(): RegexNode {
    const open = this.at++;
    const negated = this.pattern[this.at] === '^';
    if (negated) this.at++;
    const ranges: CodePointRange[] = [];
    for (let first = true; first || this.pattern[this.at] !== ']'; first = false) {
      if (this.at >= this.pattern.length) {
        throw regexError(
          this.pattern,
          open,
          open + 1,
          'a "[" is never closed',
          'add a "]" or write \\[',
        );
      }
      if (first && this.pattern[this.at] === ']') {
        throw this.error('the class is empty', 'write \\] for the character');
      }
      ranges.push(...this.member());
    }
    this.at++;
    const merged = merge(ranges);
    return { kind: 'set', ranges: negated ? complement(merged) : merged };
  }

  private member(): readonly CodePointRange[] {
    const from = this.at;
    const low = this.memberEnd();
    if (this.pattern[this.at] !== '-' || this.pattern[this.at + 1] === ']') return low;
    this.at++;
    if (this.at >= this.pattern.length) return low;
    const high = this.memberEnd();
    const [lo, hi] = [low[0][0], high[0][0]];
    const single = low.length === 1 && low[0][1] === lo && high.length === 1 && high[0][1] === hi;
    if (!single || hi < lo) {
      const shown = this.pattern.slice(from, this.at);
      throw regexError(
        this.pattern,
        from,
        this.at,
        `"${shown}" is no range`,
        'write the lower character first; \\- for a hyphen',
      );
    }
    return [[lo, hi]];
  }

  private memberEnd(): readonly CodePointRange[] {
    if (this.pattern[this.at] === '\\') return asRanges(this.escape());
    const point = this.point();
    return [[point, point]];
  }

  private escape(): RegexNode {
    const { node, to } = readEscape(this.pattern, this.at);
    this.at = to;
    return node;
  }

  private point(): number {
    const point = this.pattern.codePointAt(this.at) ?? 0;
    this.at += point > 0xffff ? 2 : 1;
    return point;
  }

  private error(message: string, hint: string): Error {
    return regexError(this.pattern, this.at, this.at + 1, message, hint);
  }
}

/** Groups within groups: the parser and the compiler go as deep. */
const MAX_DEPTH = 200;

const asRanges = (node: RegexNode): readonly CodePointRange[] => {
  if (node.kind === 'set') return node.ranges;
  return node.kind === 'point' ? [[node.point, node.point]] : [];
};
