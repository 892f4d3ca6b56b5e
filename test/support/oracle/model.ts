/**
 * What an index should answer, by brute force over plain arrays: every document against every
 * clause. Written from docs/query.md and the decisions on scores, and sharing nothing with the
 * engine but the query tree.
 */
import type { Query } from '../../../packages/engine/src/query/query.ts';

/** A version of a document: an update makes a new one. */
export interface ModelDoc {
  readonly version: number;
  readonly key: string;
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly numbers: Readonly<Record<string, readonly (bigint | number)[]>>;
  /** Addresses as 128-bit numbers. */
  readonly addresses: Readonly<Record<string, readonly bigint[]>>;
}

/** Field types of the test's mapping, by name. */
export const TYPES = {
  t1: 'TEXT',
  t2: 'TEXT',
  k1: 'KEYWORD',
  k2: 'KEYWORD',
  n1: 'LONG',
  n2: 'LONG',
  d1: 'DOUBLE',
  at: 'DATE',
  b1: 'BOOL',
  ip: 'IP',
} as const;
export type FieldName = keyof typeof TYPES;

const K1 = 1.2;
const B = 0.75;

/** Maximal runs of letters and figures, lower-cased. */
export function tokens(text: string): readonly string[] {
  const found = text.match(/[\p{Alphabetic}\p{N}]+/gu) ?? [];
  return found.map((word) => [...word].map((c) => c.toLowerCase()).join(''));
}

interface Answer {
  readonly matches: boolean;
  readonly score: number;
}
const NO: Answer = { matches: false, score: 0 };
const constant = (matches: boolean): Answer => (matches ? { matches, score: 1 } : NO);

export type NearNode = Query & { kind: 'knn' };
/** The documents that a `knn` clause takes of some, with scores. */
export type Nearest = (node: NearNode, docs: readonly ModelDoc[]) => ReadonlyMap<ModelDoc, number>;

/** Brute-force search over the documents of an index. */
export class Model {
  /** Documents that the index still holds on disk: what statistics count. */
  readonly #physical: readonly ModelDoc[];
  readonly #live: readonly ModelDoc[];
  readonly #frequencies = new Map<string, number>();
  readonly #averages = new Map<string, { readonly docs: number; readonly average: number }>();

  /** What of some documents a `knn` clause takes. */
  readonly #nearest: Nearest | undefined;
  readonly #near = new Map<Query, ReadonlyMap<ModelDoc, number>>();
  #filter: Query | null = null;

  constructor(physical: readonly ModelDoc[], live: readonly ModelDoc[], nearest?: Nearest) {
    this.#physical = physical;
    this.#live = live;
    this.#nearest = nearest;
  }

  /** All live documents that match the query and the filter, with their scores. */
  search(query: Query, filter: Query | null): ReadonlyMap<ModelDoc, number> {
    const found = new Map<ModelDoc, number>();
    this.#near.clear();
    this.#filter = filter;
    if (vanishes(query) || (filter !== null && vanishes(filter))) return found;
    // Versions that share their contents share the answer, unless a clause asks for their keys.
    const byKey = /"kind":"ids"/.test(JSON.stringify([query, filter]));
    const answers = new Map<object, Answer>();
    for (const doc of this.#live) {
      const same = byKey ? doc : doc.texts;
      let answer = answers.get(same);
      if (answer === undefined) {
        const kept = filter === null || this.#evaluate(filter, doc).matches;
        answer = kept ? this.#evaluate(query, doc) : NO;
        answers.set(same, answer);
      }
      if (answer.matches) found.set(doc, answer.score);
    }
    return found;
  }

  #evaluate(node: Query, doc: ModelDoc): Answer {
    switch (node.kind) {
      case 'match_all':
        return constant(true);
      case 'match_none':
        return NO;
      case 'boost': {
        const { matches, score } = this.#evaluate(node.query, doc);
        return { matches, score: score * node.factor };
      }
      case 'bool':
        return this.#bool(node, doc);
      case 'dis_max': {
        const left = node.queries.filter((part) => !vanishes(part));
        const found = left.map((part) => this.#evaluate(part, doc)).filter((a) => a.matches);
        if (found.length === 0) return NO;
        const scores = found.map((a) => a.score).sort((a, b) => b - a);
        const others = scores.slice(1).reduce((sum, score) => sum + score, 0);
        return { matches: true, score: scores[0]! + node.tie_breaker * others };
      }
      case 'constant_score':
        return constant(this.#evaluate(node.filter, doc).matches);
      case 'boosting': {
        const positive = this.#evaluate(node.positive, doc);
        const negative = !vanishes(node.negative) && this.#evaluate(node.negative, doc).matches;
        return negative ? { ...positive, score: positive.score * node.negative_boost } : positive;
      }
      case 'ids':
        return constant(node.keys.some((key) => key.identifier[0]!.value === doc.key));
      case 'knn':
        return this.#knn(node, doc);
      case 'more_like_this':
        throw new TypeError('test/search/more-like-this.test.ts has a model of its own');
      case 'term':
        return this.#value(node.field, node.value, 0, doc);
      case 'phrase':
        if (isEmpty(node)) return constant(node.zero_terms === 'all');
        return this.#value(node.field, node.value, node.slop, doc);
      case 'phrase_prefix':
        if (isEmpty(node)) return constant(node.zero_terms === 'all');
        return this.#phrasePrefix(node.field, tokens(node.value), doc);
      case 'match':
        if (isEmpty(node)) return constant(node.zero_terms === 'all');
        return this.#match(node, doc);
      case 'terms':
        return constant(node.values.some((v) => this.#value(node.field, v, 0, doc).matches));
      case 'exists':
        return constant(hasValue(node.field, doc));
      case 'range':
        return constant(inRange(node, doc));
      case 'cidr':
        return constant(inBlock(node.field, node.value, doc));
      case 'fuzzy': {
        const found = termsOf(node.field, doc).filter((term) => patternMatches(node, term));
        return nearestTerm(found, patternText(node), node.prefix_length ?? 0);
      }
      default:
        return constant(termsOf(node.field, doc).some((term) => patternMatches(node, term)));
    }
  }

  /** The nearest of the documents that both its own filter and the search's leave. */
  #knn(node: NearNode, doc: ModelDoc): Answer {
    let near = this.#near.get(node);
    if (near === undefined) {
      const filters = [node.filter, this.#filter].filter(
        (one) => one !== undefined && one !== null,
      );
      const left = this.#live.filter((one) => {
        return filters.every((filter) => this.#evaluate(filter, one).matches);
      });
      near = this.#nearest?.(node, left) ?? new Map<ModelDoc, number>();
      this.#near.set(node, near);
    }
    const score = near.get(doc);
    return score === undefined ? NO : { matches: true, score };
  }

  #bool(node: Query & { kind: 'bool' }, doc: ModelDoc): Answer {
    const left = (parts: readonly Query[]) => parts.filter((part) => !vanishes(part));
    const [must, should] = [left(node.must), left(node.should)];
    const filter = left(node.filter);
    const wanted = requiredOf(node.minimum_should_match, node.should.length);
    if (wanted !== undefined && wanted > node.should.length) return NO;
    const byDefault = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
    const minimum = wanted === undefined ? byDefault : Math.min(wanted, should.length);
    const required = must.map((part) => this.#evaluate(part, doc));
    const optional = should.map((part) => this.#evaluate(part, doc)).filter((a) => a.matches);
    const matches =
      required.every((a) => a.matches) &&
      filter.every((part) => this.#evaluate(part, doc).matches) &&
      !left(node.must_not).some((part) => this.#evaluate(part, doc).matches) &&
      optional.length >= minimum;
    if (!matches) return NO;
    return { matches, score: [...required, ...optional].reduce((sum, a) => sum + a.score, 0) };
  }

  #match(node: Query & { kind: 'match' }, doc: ModelDoc): Answer {
    const { field, value, edits = 0, prefix_length: exact = 0, last_prefix: open } = node;
    const isText = TYPES[field as FieldName] === 'TEXT';
    if (!isText && (edits === 0 || TYPES[field as FieldName] !== 'KEYWORD') && !open) {
      return this.#value(field, value, 0, doc);
    }
    const words = isText ? tokens(value) : [value];
    const answers = words.map((word, i) => {
      const terms = termsOf(field, doc);
      if (open && i === words.length - 1) return constant(terms.some((t) => t.startsWith(word)));
      const most = edits === 'auto' ? automaticEdits(word) : edits;
      if (most === 0 && isText) return this.#phrase(field, [word], 0, doc);
      if (most === 0) return this.#value(field, word, 0, doc);
      const near = terms.filter((term) => nearTo(term, word, most, exact));
      return nearestTerm(near, word, exact);
    });
    const found = answers.filter((answer) => answer.matches);
    const wanted =
      answers.length === 1 ? 1 : requiredOf(node.minimum_should_match ?? 1, answers.length);
    const least = node.operator === 'or' ? Math.max(1, wanted!) : answers.length;
    if (found.length < least) return NO;
    return { matches: true, score: found.reduce((sum, a) => sum + a.score, 0) };
  }

  #phrasePrefix(field: string, words: readonly string[], doc: ModelDoc): Answer {
    const begin = words.at(-1)!;
    const whole = words.slice(0, -1);
    const values = doc.texts[field]!.map(tokens);
    const times = (value: readonly string[]): number =>
      value.filter((_, at) => {
        const fits = whole.every((word, i) => value[at + i] === word);
        return fits && value[at + whole.length]?.startsWith(begin) === true;
      }).length;
    const frequency = values.reduce((sum, value) => sum + times(value), 0);
    if (whole.length === 0) return constant(frequency > 0);
    return this.#scored(field, whole, frequency, values);
  }

  #value(field: string, value: string, slop: number, doc: ModelDoc): Answer {
    switch (TYPES[field as FieldName]) {
      case 'TEXT':
        return this.#phrase(field, tokens(value), slop, doc);
      case 'KEYWORD':
        if (!doc.words[field]!.includes(value)) return NO;
        return { matches: true, score: this.#idf(field, value) / (1 + K1) };
      case 'IP':
        return constant(inBlock(field, value, doc));
      default:
        return constant(doc.numbers[field]!.some((n) => same(n, numberOf(field, value))));
    }
  }

  #phrase(field: string, words: readonly string[], slop: number, doc: ModelDoc): Answer {
    if (words.length === 0) return NO;
    const values = doc.texts[field]!.map(tokens);
    const frequency = values.reduce((sum, value) => sum + phraseFrequency(value, words, slop), 0);
    return this.#scored(field, words, frequency, values);
  }

  #scored(
    field: string,
    words: readonly string[],
    frequency: number,
    values: readonly (readonly string[])[],
  ): Answer {
    if (frequency === 0) return NO;
    const length = values.reduce((sum, value) => sum + value.length, 0);
    const norm = K1 * (1 - B + (B * length) / this.#field(field).average);
    const idf = words.reduce((sum, word) => sum + this.#idf(field, word), 0);
    return { matches: true, score: (idf * frequency) / (frequency + norm) };
  }

  #idf(field: string, term: string): number {
    const name = `${field}:${term}`;
    let frequency = this.#frequencies.get(name);
    if (frequency === undefined) {
      frequency = this.#physical.filter((doc) => termsOf(field, doc).includes(term)).length;
      this.#frequencies.set(name, frequency);
    }
    const { docs } = this.#field(field);
    return Math.log(1 + (docs - frequency + 0.5) / (frequency + 0.5));
  }

  #field(field: string): { readonly docs: number; readonly average: number } {
    let known = this.#averages.get(field);
    if (known === undefined) {
      const lengths = this.#physical.map((doc) => termsOf(field, doc).length);
      const docs = lengths.filter((length) => length > 0).length;
      known = { docs, average: lengths.reduce((a, b) => a + b, 0) / docs };
      this.#averages.set(field, known);
    }
    return known;
  }
}

/** How many of `count` parts a `minimum_should_match` asks for, by its definition. */
function requiredOf(wanted: number | string | undefined, count: number): number | undefined {
  if (typeof wanted !== 'string') return wanted;
  const plain = (rule: string): number => {
    const number = Number.parseInt(rule, 10);
    const parts = rule.includes('%')
      ? Math.floor((count * Math.abs(number)) / 100)
      : Math.abs(number);
    return Math.max(0, rule.startsWith('-') ? count - parts : parts);
  };
  const conditions = wanted.split(' ').map((text) => text.split('<'));
  if (conditions[0]!.length === 1) return plain(wanted);
  const last = conditions.filter(([above]) => count > Number(above)).at(-1);
  return last === undefined ? count : plain(last[1]!);
}

function automaticEdits(word: string): number {
  const characters = [...word].length;
  if (characters <= 2) return 0;
  return characters <= 5 ? 1 : 2;
}

/** The edits from a word to a term that begins with its first `exact` characters, or Infinity. */
function editsTo(term: string, word: string, exact: number): number {
  const [head, tail] = [[...word].slice(0, exact), [...word].slice(exact)];
  const begins = head.every((c, i) => [...term][i] === c);
  return begins ? distance(tail, [...term].slice(head.length)) : Infinity;
}

const nearTo = (term: string, word: string, edits: number, exact: number): boolean =>
  editsTo(term, word, exact) <= edits;

/** Whether a term is one that a word of a `match` finds. */
export function matchesWord(
  { edits = 0, prefix_length: exact = 0, last_prefix }: Query & { kind: 'match' },
  word: string,
  last: boolean,
  term: string,
): boolean {
  if (last && last_prefix) return term.startsWith(word);
  const most = edits === 'auto' ? automaticEdits(word) : edits;
  return most === 0 ? term === word : nearTo(term, word, most, exact);
}

type Worded = Query & { kind: 'match' | 'phrase' | 'phrase_prefix' };

/** A clause whose text has no words, and which says what that means. */
const isEmpty = (node: Worded): boolean =>
  node.zero_terms !== undefined &&
  TYPES[node.field as FieldName] === 'TEXT' &&
  tokens(node.value).length === 0;

/** True when analysis leaves nothing of the node. */
function vanishes(node: Query): boolean {
  if (node.kind === 'boost') return vanishes(node.query);
  if (node.kind === 'constant_score') return vanishes(node.filter);
  if (node.kind === 'boosting') return vanishes(node.positive);
  if (node.kind === 'dis_max') return node.queries.length > 0 && node.queries.every(vanishes);
  if (node.kind === 'bool') {
    const parts = [...node.must, ...node.should, ...node.must_not, ...node.filter];
    return parts.length > 0 && parts.every(vanishes);
  }
  if (!('field' in node) || TYPES[node.field as FieldName] !== 'TEXT') return false;
  if (node.kind === 'terms') {
    return node.values.length > 0 && node.values.every((value) => tokens(value).length === 0);
  }
  if (node.kind !== 'term' && 'zero_terms' in node && node.zero_terms !== undefined) return false;
  const analysed = ['term', 'phrase', 'phrase_prefix', 'match'].includes(node.kind);
  return 'value' in node && analysed && tokens(node.value).length === 0;
}

const analysed = new WeakMap<object, readonly string[]>();

function termsOf(field: string, doc: ModelDoc): readonly string[] {
  if (TYPES[field as FieldName] !== 'TEXT') return doc.words[field]!;
  const values = doc.texts[field]!;
  const terms = analysed.get(values) ?? values.flatMap(tokens);
  analysed.set(values, terms);
  return terms;
}

function hasValue(field: string, doc: ModelDoc): boolean {
  const type = TYPES[field as FieldName];
  if (type === 'TEXT' || type === 'KEYWORD') return termsOf(field, doc).length > 0;
  return (type === 'IP' ? doc.addresses[field]! : doc.numbers[field]!).length > 0;
}

/**
 * Positions of the first word that take part in a choice of positions whose places differ by at
 * most `slop`.
 */
function phraseFrequency(value: readonly string[], words: readonly string[], slop: number): number {
  const fits = (word: number, taken: readonly number[]): boolean => {
    const places = taken.map((position, i) => position - i);
    if (Math.max(...places) - Math.min(...places) > slop) return false;
    if (word === words.length) return true;
    return value.some(
      (token, at) => token === words[word] && !taken.includes(at) && fits(word + 1, [...taken, at]),
    );
  };
  return value.filter((token, at) => token === words[0] && fits(1, [at])).length;
}

/** A number of a field as values have it: dates as microseconds, booleans as 0 and 1. */
export function numberOf(field: string, text: string): bigint | number {
  const type = TYPES[field as FieldName];
  if (type === 'DOUBLE') return Number(text);
  if (type === 'BOOL') return text === 'true' ? 1n : 0n;
  return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(Date.parse(text)) * 1000n;
}

/** Order of numbers in which NaN is above all else and -0 is 0. */
export function compareNumbers(a: bigint | number, b: bigint | number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
const same = (a: bigint | number, b: bigint | number): boolean => compareNumbers(a, b) === 0;

function inRange(node: Query & { kind: 'range' }, doc: ModelDoc): boolean {
  const { field, lower, upper } = node;
  const within = <T>(
    values: readonly T[],
    read: (text: string) => T,
    compare: (a: T, b: T) => number,
  ) =>
    values.some((value) => {
      const above = lower === undefined ? 1 : compare(value, read(lower.value));
      const below = upper === undefined ? -1 : compare(value, read(upper.value));
      return (
        (above > 0 || (above === 0 && lower!.inclusive)) &&
        (below < 0 || (below === 0 && upper!.inclusive))
      );
    });
  const type = TYPES[field as FieldName];
  if (type === 'KEYWORD') return within(doc.words[field]!, (text) => text, compareText);
  if (type === 'IP') return within(doc.addresses[field]!, addressOf, compareNumbers);
  return within(doc.numbers[field]!, (text) => numberOf(field, text), compareNumbers);
}

/** Order of texts as UTF-8 bytes: that of their code points. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The 128-bit number of an address of the test: dotted IPv4 (mapped), or `2001:db8::` and one
 * group.
 */
export function addressOf(text: string): bigint {
  if (text.startsWith('2001:db8::')) {
    return (0x20010db8n << 96n) | BigInt(`0x0${text.slice('2001:db8::'.length)}`);
  }
  const v4 = text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return (0xffffn << 32n) | v4;
}

function inBlock(field: string, value: string, doc: ModelDoc): boolean {
  const [address, prefix] = value.split('/');
  const bits = prefix === undefined ? 128 : Number(prefix) + (address!.includes(':') ? 0 : 96);
  const shift = BigInt(128 - bits);
  return doc.addresses[field]!.some((a) => a >> shift === addressOf(address!) >> shift);
}

export type PatternNode = Query & { kind: 'prefix' | 'wildcard' | 'regex' | 'fuzzy' };

/** A term that a pattern matches, by definition. */
export function patternMatches(node: PatternNode, term: string): boolean {
  const folded = patternText(node);
  switch (node.kind) {
    case 'prefix':
      return term.startsWith(folded);
    case 'fuzzy':
      return nearTo(term, folded, node.edits, node.prefix_length ?? 0);
    case 'wildcard': {
      const source = [...folded].map((c) => (c === '*' ? '.*' : c === '?' ? '.' : literal(c)));
      return new RegExp(`^(?:${source.join('')})$`, 'su').test(term);
    }
    case 'regex':
      return new RegExp(`^(?:${folded})$`, 'su').test(term);
  }
}

const patternText = ({ field, value }: PatternNode): string =>
  TYPES[field as FieldName] === 'TEXT' ? value.toLowerCase() : value;

/** The answer for a document with these terms near a word: each edit halves the score. */
function nearestTerm(terms: readonly string[], word: string, exact: number): Answer {
  if (terms.length === 0) return NO;
  const edits = terms.map((term) => editsTo(term, word, exact));
  return { matches: true, score: 0.5 ** Math.min(...edits) };
}

/** Optimal string alignment: a swap of neighbours is one edit. */
function distance(a: readonly string[], b: readonly string[]): number {
  const rows = a.length + 1;
  const table = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i < rows; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + change,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = cost;
    }
  }
  return table[a.length]![b.length]!;
}

/** A field's value in a sort: lowest when rising, highest when falling; null when missing. */
export function sortValue(
  field: string,
  desc: boolean,
  doc: ModelDoc,
): bigint | number | string | null {
  const type = TYPES[field as FieldName];
  const best = <T>(values: readonly T[], compare: (a: T, b: T) => number): T | null => {
    const sorted = values.toSorted(compare);
    return (desc ? sorted.at(-1) : sorted[0]) ?? null;
  };
  if (type === 'KEYWORD') return best(doc.words[field]!, compareText);
  return best(type === 'IP' ? doc.addresses[field]! : doc.numbers[field]!, compareNumbers);
}

/** Order of two documents by one field, with missing values where the sort puts them. */
export function compareBy(
  field: string,
  desc: boolean,
  missing: string | number | undefined,
  a: ModelDoc,
  b: ModelDoc,
): number {
  const isFilled = missing !== undefined && missing !== '_first' && missing !== '_last';
  const value = (doc: ModelDoc) => sortValue(field, desc, doc) ?? (isFilled ? missing : null);
  return compareSorted(value(a), value(b), desc, missing === '_first');
}

/** Order of sort values; missing ones are last in both directions, or first. */
export function compareSorted(
  a: bigint | number | string | null,
  b: bigint | number | string | null,
  desc: boolean,
  missingFirst = false,
): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === missingFirst ? -1 : 1;
  const rising =
    typeof a === 'string' ? compareText(a, b as string) : compareNumbers(a, b as bigint | number);
  return desc ? -rising : rising;
}

/** A character that stands for itself in a regular expression. */
const literal = (c: string): string =>
  c.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&').replace('\\-', '-');
