/**
 * `simple_query_string`: `+` and `|` join, `-` negates; quotes, `*`, `~n` and parentheses. It has
 * no errors: signs that mean nothing are skipped. Operators bind from left to right.
 */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, objectOf, optionsOf } from './body.ts';
import { type WeightedField, weightedFields } from './multi-match.ts';
import { checkExpansion, isLenient, operatorOf, requireDefault, wholeOf } from './options.ts';
import { stringOf, withMinimum } from './query-string.ts';
import { illegal } from './refusal.ts';
import { boosted, MATCH_ALL, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { leafTree, type StringLeaf, type StringReading } from './string-leaves.ts';

const QUERY = 'simple_query_string';
const OPTIONS = [
  ...['query', 'fields', 'default_operator', 'flags', 'boost', 'minimum_should_match', 'analyzer'],
  ...['analyze_wildcard', 'fuzzy_prefix_length', 'fuzzy_max_expansions', 'fuzzy_transpositions'],
  ...['lenient', 'quote_field_suffix', '_name', 'auto_generate_synonyms_phrase_query'],
];
const DEPTH = 8;

/** `simple_query_string`. */
export function simpleQueryString(json: Json, scope: QueryScope): Tree {
  const options = optionsOf(objectOf(json, QUERY), QUERY, OPTIONS);
  const text = stringOf(options.query, QUERY);
  checkExpansion(options, QUERY);
  requireDefault(options, QUERY, 'flags', ['ALL', 'all', -1]);
  for (const name of ['analyzer', 'quote_field_suffix']) requireDefault(options, QUERY, name, []);
  const reading = readingOf(options, scope);
  const fields = weightedFields(options.fields, scope, QUERY);
  const tree = new SimpleParser(fields, reading).parse(text, 0) ?? MATCH_NONE;
  return boosted(withMinimum(tree, options.minimum_should_match), boostOf(options, QUERY));
}

const readingOf = (options: JsonObject, scope: QueryScope): StringReading => ({
  scope,
  isLenient: isLenient(options),
  operator: operatorOf(options.default_operator, QUERY),
  tie: 1,
  slop: 0,
  edits: 2,
  prefixLength: wholeOf(options, QUERY, 'fuzzy_prefix_length', 0, 0),
  timeZone: undefined,
});

type Join = 'must' | 'should';
const TOKEN = /(?:\\[\s\S]|[^\s"|+()\\])+|\\$/y;
const SLOP = /~(\d*)/y;

class SimpleParser {
  readonly #fields: readonly WeightedField[];
  readonly #reading: StringReading;

  constructor(fields: readonly WeightedField[], reading: StringReading) {
    this.#fields = fields;
    this.#reading = reading;
  }

  /** null: there is no clause in the text. */
  parse(text: string, depth: number): Tree | null {
    if (depth > DEPTH) throw illegal(`[${QUERY}] query is nested deeper than [${DEPTH}]`);
    const byDefault: Join = this.#reading.operator === 'and' ? 'must' : 'should';
    let top: Tree | null = null;
    let join: Join | null = null;
    let former: Join | null = null;
    let negated = false;
    const add = (branch: Tree | null): void => {
      if (branch === null) return;
      const own = negated ? { bool: { must_not: [branch] } } : branch;
      negated = false;
      if (top === null) top = own;
      else {
        const as: Join = join ?? byDefault;
        top = { bool: { [as]: former === as ? [...partsOf(top, as), own] : [top, own] } };
        former = as;
      }
      join = null;
    };
    for (let at = 0; at < text.length; ) {
      const c = text[at];
      if (c === '(') {
        const end = closing(text, at);
        if (end > 0) add(this.parse(text.slice(at + 1, end), depth + 1));
        at = end > 0 ? end + 1 : at + 1;
      } else if (c === '"') {
        const end = quoteEnd(text, at);
        const [slop, after] = slopAt(text, end + 1);
        const phrase = unescaped(text.slice(at + 1, Math.max(end, at + 1)));
        if (end > 0) add(this.#leaf({ kind: 'phrase', text: phrase, slop: slop ?? 0 }));
        at = end > 0 ? after : at + 1;
      } else if (c === '+' || c === '|') {
        if (join === null && top !== null) join = c === '+' ? 'must' : 'should';
        at++;
      } else if (c === '-' && text[at + 1] !== undefined) {
        negated = !negated;
        at++;
      } else if (/\s|\)/.test(c)) {
        negated = false;
        at++;
      } else {
        TOKEN.lastIndex = at;
        const token = TOKEN.exec(text)?.[0] ?? c;
        add(this.#token(token));
        at += token.length;
      }
    }
    return top;
  }

  #token(token: string): Tree | null {
    if (token === '*') return MATCH_ALL;
    if (token.endsWith('*') && !token.endsWith('\\*')) {
      return this.#leaf({ kind: 'prefix', text: unescaped(token.slice(0, -1)) });
    }
    const fuzzy = /^(.*[^\\])~(\d*)$/s.exec(token);
    const edits = fuzzy === null ? 0 : Math.min(2, Number(fuzzy[2]));
    if (edits > 0) return this.#leaf({ kind: 'fuzzy', text: unescaped(fuzzy![1]), edits });
    return this.#leaf({ kind: 'words', text: unescaped(fuzzy === null ? token : fuzzy[1]) });
  }

  #leaf(leaf: StringLeaf): Tree {
    return leafTree(leaf, this.#fields, this.#reading);
  }
}

function partsOf(tree: Tree, join: Join): readonly Json[] {
  const { bool } = tree as { readonly bool: JsonObject };
  return bool[join] as readonly Json[];
}

function slopAt(text: string, at: number): readonly [slop: number | null, after: number] {
  SLOP.lastIndex = at;
  const found = SLOP.exec(text);
  if (found === null) return [null, at];
  return [Number(found[1]), SLOP.lastIndex];
}

/** The end of a quotation that begins at `at`; 0: it has none. */
function quoteEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return 0;
}

/** The parenthesis that closes the one at `at`; 0: there is none. */
function closing(text: string, at: number): number {
  let open = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (c === '\\') i++;
    else if (c === '(') open++;
    else if (c === ')' && --open === 0) return i;
  }
  return 0;
}

const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, '$1');
