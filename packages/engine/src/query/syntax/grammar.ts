/**
 * Tokens -> Query, by recursive descent; every rule is one method:
 *
 * ```
 * list    := either+
 * either  := both ( OR both )*
 * both    := unary ( AND unary )*
 * unary   := ( NOT | - | ! )* clause | + clause
 * clause  := field? ( '(' list ')' | value ) boost?
 * value   := word fuzzy? | quoted slop? | quoted '*' | regex | range
 * ```
 *
 * The default operator joins the members of a list. `+c`, `-c` and a lone `NOT c` apply to the
 * whole list. NOT binds tighter than AND, AND tighter than OR, OR tighter than adjacency. The depth
 * of the text limits the recursion; time is linear in the length of the text.
 */
import { LIMITS } from '../../base/limits.ts';
import { weightedField } from '../../schema/parse/default-fields.ts';
import type { Query, Span } from '../query.ts';
import { bool, placed } from './clause.ts';
import { Lexer } from './lexer.ts';
import { queryError, type Syntax, type Token } from './token.ts';

/** How a clause stands in its list: plain, excluded (`-c`, `NOT c`) or required (`+c`). */
interface Clause {
  readonly sign: 'plain' | 'not' | 'required';
  readonly query: Query;
  readonly span: Span;
}

/** The field that words belong to: written (`f:`), then with a span, or the default ones. */
interface Field {
  readonly names: readonly string[];
  readonly span?: Span;
}

/** A node before its field is known. */
type Leaf = Extract<Query, { readonly field: string }>;
type TokenOf<K extends Token['kind']> = Extract<Token, { readonly kind: K }>;

/** How a text is to be read, and how much of it. */
export interface GrammarOptions {
  readonly syntax: Syntax;
  readonly defaultFields: readonly string[];
  readonly defaultOperator: 'or' | 'and';
  readonly maxDepth: number;
  readonly maxClauses: number;
}

/** Parses one text; throws invalid_query or limit_exceeded, always with a place. */
export class Grammar {
  private readonly text: string;
  private readonly lexer: Lexer;
  private readonly options: GrammarOptions;
  private token: Token;
  /** Where the last taken token ended. */
  private end = 0;
  private depth = 0;
  private clauses = 0;

  constructor(text: string, options: GrammarOptions) {
    this.text = text;
    this.options = options;
    this.lexer = new Lexer(text, options.syntax);
    this.token = this.lexer.next();
  }

  /** The whole text as one query. */
  parse(): Query {
    if (this.token.kind === 'end') {
      throw this.error(this.token, 'the query is empty', 'write *:* to match every document');
    }
    const query = this.list({ names: this.options.defaultFields });
    if (this.token.kind === 'close') {
      throw this.error(this.token, 'unexpected ")": no "(" is open', 'remove it or write \\)');
    }
    if (nesting(query) > this.options.maxDepth) throw this.tooDeep({ from: 0, to: this.end });
    return query;
  }

  private list(field: Field): Query {
    const clauses: Clause[] = [];
    do clauses.push(this.either(field));
    while (this.token.kind !== 'end' && this.token.kind !== 'close');
    const must: Query[] = [];
    const should: Query[] = [];
    const must_not: Query[] = [];
    const plain = this.options.defaultOperator === 'and' ? must : should;
    for (const { sign, query } of clauses) {
      (sign === 'not' ? must_not : sign === 'required' ? must : plain).push(query);
    }
    return bool({ must, should, must_not }, cover(clauses));
  }

  private either(field: Field): Clause {
    const clauses = this.chain('or', () => this.both(field));
    if (clauses.length === 1) return clauses[0];
    const should = clauses.map(asQuery);
    const span = cover(clauses);
    return { sign: 'plain', query: bool({ must: [], should, must_not: [] }, span), span };
  }

  private both(field: Field): Clause {
    const clauses = this.chain('and', () => this.unary(field));
    if (clauses.length === 1) return clauses[0];
    const must = clauses.filter((c) => c.sign === 'plain').map((c) => c.query);
    const must_not = clauses.filter((c) => c.sign === 'not').map((c) => c.query);
    const span = cover(clauses);
    return { sign: 'plain', query: bool({ must, should: [], must_not }, span), span };
  }

  private chain(operator: 'and' | 'or', part: () => Clause): Clause[] {
    const clauses = [part()];
    while (this.token.kind === operator) {
      this.take();
      clauses.push(part());
    }
    const required = clauses.find((c) => c.sign === 'required');
    if (clauses.length > 1 && required !== undefined) {
      const message = `"+" has no meaning beside ${operator.toUpperCase()}`;
      throw this.error(required.span, message, 'use "+" in a list, as in: +a b -c');
    }
    return clauses;
  }

  private unary(field: Field): Clause {
    const { from } = this.token;
    let negations = 0;
    for (; this.token.kind === 'not'; this.take()) {
      if (++negations > this.options.maxDepth) throw this.tooDeep();
    }
    const required = this.token.kind === 'plus';
    if (required && negations > 0) {
      throw this.error(this.token, '"+" follows a negation', 'a clause is required or excluded');
    }
    if (required) this.take();
    const query = this.clause(field);
    const sign = required ? 'required' : negations % 2 === 1 ? 'not' : 'plain';
    return { sign, query, span: { from, to: this.end } };
  }

  private clause(outer: Field): Query {
    const { from } = this.token;
    const field = this.token.kind === 'field' ? this.field(this.token) : outer;
    const query = this.token.kind === 'open' ? this.group(field) : this.value(field, from);
    if (this.token.kind === 'tilde') throw this.unexpected();
    if (this.token.kind !== 'boost') return query;
    const { factor } = this.take<'boost'>();
    if (this.is('boost') || this.is('tilde')) throw this.unexpected();
    return placed({ kind: 'boost', query, factor }, { span: { from, to: this.end } });
  }

  private field(token: TokenOf<'field'>): Field {
    this.take();
    const { kind } = this.token;
    if (kind === 'end' || kind === 'close' || kind === 'field') {
      const any = `write ${token.name}:* for any value`;
      const hint = `${any}, or quote the words if the colon belongs to them`;
      throw this.error(token, `no value follows "${token.name}:"`, hint);
    }
    if (token.any && !(kind === 'word' && this.token.pattern === '*')) {
      const hint = 'name a field; *:* matches every document';
      throw this.error(token, '"*:" would look in every field, which is not supported', hint);
    }
    const span = Object.freeze({ from: token.from, to: token.to });
    return token.any ? { names: [] } : { names: [token.name], span };
  }

  private group(field: Field): Query {
    const open = this.take();
    if (++this.depth > this.options.maxDepth) throw this.tooDeep(open);
    if (this.token.kind === 'close') {
      const at = { from: open.from, to: this.token.to };
      throw this.error(at, 'the parentheses are empty', 'put a clause between them');
    }
    const query = this.list(field);
    if (!this.is('close')) {
      throw this.error(open, 'a "(" is never closed', 'add a ")", or write \\( for the character');
    }
    this.take();
    this.depth--;
    return query;
  }

  private value(field: Field, from: number): Query {
    if (++this.clauses > this.options.maxClauses) {
      const message = `the query has more than ${this.options.maxClauses} clauses`;
      throw this.error(this.token, message, undefined, 'limit_exceeded');
    }
    const { token } = this;
    switch (token.kind) {
      case 'word':
        return this.word(token, field, from);
      case 'quoted':
        return this.phrase(token, field, from);
      case 'regex':
        this.take();
        return this.leaf({ kind: 'regex', field: '', value: token.pattern }, field, from);
      case 'range': {
        this.take();
        const { lower, upper } = token;
        if (!lower && !upper) return this.leaf({ kind: 'exists', field: '' }, field, from);
        const bounds = { ...(lower && { lower }), ...(upper && { upper }) };
        return this.leaf({ kind: 'range', field: '', ...bounds }, field, from);
      }
      default:
        throw this.unexpected();
    }
  }

  private word(token: TokenOf<'word'>, field: Field, from: number): Query {
    this.take();
    const { text, pattern, wildcards } = token;
    if (this.token.kind === 'tilde') return this.fuzzy(token, field, from);
    if (wildcards === 0) return this.leaf({ kind: 'term', field: '', value: text }, field, from);
    if (/^\*+$/.test(pattern)) {
      if (field.span !== undefined) return this.leaf({ kind: 'exists', field: '' }, field, from);
      return placed({ kind: 'match_all' }, { span: { from, to: this.end } });
    }
    if (wildcards === 1 && pattern.endsWith('*')) {
      return this.leaf({ kind: 'prefix', field: '', value: text.slice(0, -1) }, field, from);
    }
    return this.leaf({ kind: 'wildcard', field: '', value: pattern }, field, from);
  }

  private fuzzy(token: TokenOf<'word'>, field: Field, from: number): Query {
    const tilde = this.take<'tilde'>();
    const edits = tilde.value ?? LIMITS.fuzzyEdits;
    if (token.wildcards > 0) {
      const message = `"${clip(token.pattern)}" has both wildcards and an edit distance`;
      throw this.error({ from, to: tilde.to }, message, 'use one of the two');
    }
    if (edits > LIMITS.fuzzyEdits) {
      const message = `an edit distance of ${edits} is too far: at most ${LIMITS.fuzzyEdits}`;
      throw this.error(tilde, message, 'use a prefix or a wildcard', 'limit_exceeded');
    }
    return this.leaf({ kind: 'fuzzy', field: '', value: token.text, edits }, field, from);
  }

  private phrase(token: TokenOf<'quoted'>, field: Field, from: number): Query {
    this.take();
    if (token.prefix) {
      return this.leaf({ kind: 'phrase_prefix', field: '', value: token.text }, field, from);
    }
    let slop = 0;
    if (this.token.kind === 'tilde') {
      const tilde = this.take<'tilde'>();
      if (tilde.value === undefined) {
        throw this.error(tilde, 'a number is missing after "~"', 'as in "quick fox"~2');
      }
      slop = tilde.value;
    }
    return this.leaf({ kind: 'phrase', field: '', value: token.text, slop }, field, from);
  }

  private leaf(node: Leaf, field: Field, from: number): Query {
    const span = { from, to: this.end };
    if (field.names.length === 0) {
      const shown = clip(this.text.slice(from, this.end));
      const message = `"${shown}" names no field, and there is no TEXT or KEYWORD field to search`;
      throw this.error(span, message, 'write field:value');
    }
    const clauses = field.names.map((entry) => {
      if (field.span !== undefined)
        return placed({ ...node, field: entry }, { span, fieldSpan: field.span });
      const { name, weight } = weightedField(entry);
      const query = placed({ ...node, field: name }, { span });
      return weight === 1 ? query : placed({ kind: 'boost', query, factor: weight }, { span });
    });
    this.clauses += clauses.length - 1;
    return bool({ must: [], should: clauses, must_not: [] }, span);
  }

  private is(kind: Token['kind']): boolean {
    return this.token.kind === kind;
  }

  private take<K extends Token['kind']>(): TokenOf<K> {
    const { token } = this;
    this.end = token.to;
    this.token = this.lexer.next();
    return token as TokenOf<K>;
  }

  private tooDeep(at: Span = this.token): Error {
    const message = `the query is nested more than ${this.options.maxDepth} deep`;
    return this.error(at, message, 'remove parentheses that are not needed', 'limit_exceeded');
  }

  private unexpected(): Error {
    const { token } = this;
    const shown =
      token.kind === 'end' ? 'the end' : `"${clip(this.text.slice(token.from, token.to))}"`;
    const message = `expected a clause, found ${shown}`;
    return this.error(
      token,
      message,
      HINTS[token.kind] ?? 'quote it to search for the text itself',
    );
  }

  private error(
    at: Span,
    message: string,
    hint?: string,
    code?: 'invalid_query' | 'limit_exceeded',
  ): Error {
    return queryError(this.text, at, message, hint, code);
  }
}

/**
 * How many clauses of clauses lie above the deepest leaf: what the JSON tree is limited by, too.
 */
function nesting(query: Query): number {
  if (query.kind === 'boost') return 1 + nesting(query.query);
  if (query.kind !== 'bool') return 0;
  const parts = [...query.must, ...query.should, ...query.must_not];
  return 1 + parts.reduce((most, part) => Math.max(most, nesting(part)), 0);
}

const HINTS: { readonly [kind in Token['kind']]?: string } = {
  end: 'an operator needs a clause on both sides; quote it to search for the word itself',
  close: 'put a clause before the ")"',
  tilde: '"~" follows a single word (edit distance) or a quoted phrase (slop)',
  boost: '"^" follows a clause, once',
  plus: 'a clause is required or excluded',
};

const cover = (clauses: readonly Clause[]): Span => ({
  from: clauses[0].span.from,
  to: clauses.at(-1)!.span.to,
});

const asQuery = (c: Clause): Query =>
  c.sign === 'not' ? bool({ must: [], should: [], must_not: [c.query] }, c.span) : c.query;

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
