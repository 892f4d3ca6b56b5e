/** `query_string`: the syntax of the imitated engine, where it has one meaning here. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, numberOf, objectOf, optionsOf, scalarOf } from './body.ts';
import { tieOf, type WeightedField, weightedFields } from './multi-match.ts';
import {
  checkExpansion,
  editsOf,
  isLenient,
  minimumOf,
  operatorOf,
  requireDefault,
  wholeOf,
} from './options.ts';
import { illegal, unserved } from './refusal.ts';
import { boosted, MATCH_ALL, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { leafTree, type StringLeaf, type StringReading } from './string-leaves.ts';
import { type StringToken, stringTokens, unescaped, unparsed } from './string-lexer.ts';

const QUERY = 'query_string';
const OPTIONS = [
  ...['query', 'default_field', 'fields', 'default_operator', 'type', 'tie_breaker', 'boost'],
  ...['minimum_should_match', 'analyze_wildcard', 'allow_leading_wildcard', 'fuzziness'],
  ...['enable_position_increments', 'fuzzy_prefix_length', 'fuzzy_max_expansions', 'rewrite'],
  ...['fuzzy_transpositions', 'fuzzy_rewrite', 'phrase_slop', 'lenient', 'time_zone', 'escape'],
  ...['analyzer', 'quote_analyzer', 'quote_field_suffix', 'max_determinized_states', '_name'],
  'auto_generate_synonyms_phrase_query',
];
const TEXT_BYTES = 8 * 1024;
const DEPTH = 15;

/** The text of a query string. Throws RefusedDsl for one that is too long. */
export function stringOf(json: Json | undefined, query: string): string {
  const text = scalarOf(json, query, 'query');
  if (Buffer.byteLength(text) <= TEXT_BYTES) return text;
  throw illegal(`[${query}] query is longer than [${TEXT_BYTES}] bytes`);
}

/** `query_string`. */
export function queryString(json: Json, scope: QueryScope): Tree {
  const options = optionsOf(objectOf(json, QUERY), QUERY, OPTIONS);
  const text = stringOf(options.query, QUERY);
  const reading = readingOf(options, scope);
  const named = options.fields ?? options.default_field;
  const fields = weightedFields(named === '*' ? undefined : named, scope, QUERY);

  const parser = new StringParser(text, reading);
  const tree = withMinimum(parser.whole(fields), options.minimum_should_match);
  return boosted(tree, boostOf(options, QUERY));
}

function readingOf(options: JsonObject, scope: QueryScope): StringReading {
  checkExpansion(options, QUERY);
  requireDefault(options, QUERY, 'allow_leading_wildcard', [true]);
  requireDefault(options, QUERY, 'enable_position_increments', [true]);
  requireDefault(options, QUERY, 'escape', [false]);
  for (const name of ['analyzer', 'quote_analyzer', 'quote_field_suffix']) {
    requireDefault(options, QUERY, name, []);
  }
  const type = String(options.type ?? 'best_fields');
  requireDefault({ type }, QUERY, 'type', ['best_fields', 'most_fields']);
  const { tie_breaker, time_zone } = options;
  const byType = type === 'most_fields' ? 1 : 0;
  return {
    scope,
    isLenient: isLenient(options),
    operator: operatorOf(options.default_operator, QUERY),
    tie: tie_breaker === undefined ? byType : tieOf(tie_breaker, QUERY),
    slop: wholeOf(options, QUERY, 'phrase_slop', 0, 0),
    edits: editsOf(options.fuzziness ?? 'AUTO', QUERY),
    prefixLength: wholeOf(options, QUERY, 'fuzzy_prefix_length', 0, 0),
    timeZone: time_zone === undefined ? undefined : scalarOf(time_zone, QUERY, 'time_zone'),
  };
}

/** A tree whose optional clauses are counted. */
export function withMinimum(tree: Tree, json: Json | undefined): Tree {
  const minimum = minimumOf(json);
  const { bool } = tree as { readonly bool?: JsonObject };
  if (minimum === undefined || bool?.should === undefined) return tree;
  return { bool: { ...bool, minimum_should_match: minimum } };
}

interface Part {
  readonly joined: 'and' | 'or' | null;
  readonly sign: 'plus' | 'not' | null;
  readonly tree: Tree;
}

class StringParser {
  readonly #text: string;
  readonly #reading: StringReading;
  readonly #tokens: readonly StringToken[];
  #at = 0;
  #depth = 0;

  constructor(text: string, reading: StringReading) {
    this.#text = text;
    this.#reading = reading;
    this.#tokens = stringTokens(text);
  }

  whole(fields: readonly WeightedField[]): Tree {
    if (this.#tokens.length === 1) return MATCH_NONE;
    const tree = this.#list(fields);
    if (this.#takes('end') === null) throw unparsed(this.#text);
    return tree;
  }

  get #next(): StringToken {
    return this.#tokens[this.#at];
  }

  #takes(...kinds: readonly StringToken['kind'][]): StringToken | null {
    return kinds.includes(this.#next.kind) ? this.#tokens[this.#at++] : null;
  }

  #list(fields: readonly WeightedField[]): Tree {
    const parts: Part[] = [];
    while (this.#next.kind !== 'end' && this.#next.kind !== 'close') {
      const joined = this.#takes('and', 'or')?.kind ?? null;
      if (joined !== null && parts.length === 0) throw unparsed(this.#text);
      const sign = this.#takes('plus', 'not')?.kind ?? null;
      const tree = this.#clause(fields, sign === null);
      parts.push({ joined, sign, tree } as Part);
    }
    if (parts.length === 0) throw unparsed(this.#text);
    return this.#join(parts);
  }

  #join(parts: readonly Part[]): Tree {
    const joints = new Set(parts.slice(1).map(({ joined }) => joined));
    if (joints.size > 1) {
      throw unserved(
        '[query_string] query that mixes AND, OR and clauses side by side is not served: ' +
          'add parentheses',
      );
    }
    const [joint = null] = joints;
    const all = joint === 'and' || (joint === null && this.#reading.operator === 'and');
    const of = (wanted: (part: Part) => boolean) => parts.filter(wanted).map(({ tree }) => tree);
    const mustNot = of(({ sign }) => sign === 'not');
    const must = of(({ sign }) => sign === 'plus' || (all && sign === null));
    const should = of(({ sign }) => !all && sign === null);
    if (mustNot.length === 0 && must.length + should.length === 1) return [...must, ...should][0];
    const filled = Object.entries({ must, should, must_not: mustNot });
    return { bool: Object.fromEntries(filled.filter(([, list]) => list.length > 0)) };
  }

  /** `free`: plain words that follow belong to the same text. */
  #clause(fields: readonly WeightedField[], free: boolean): Tree {
    const field = this.#takes('field');
    if (field?.kind === 'field') return this.#boosted(this.#inField(field.name));
    if (this.#next.kind === 'range' || this.#next.kind === 'compare') throw unparsed(this.#text);
    return this.#boosted(this.#value(fields, free, false));
  }

  #inField(name: string): Tree {
    const { scope } = this.#reading;
    if (name === '_exists_') {
      const word = this.#takes('word');
      if (word?.kind !== 'word') throw unparsed(this.#text);
      const fields = weightedFields(word.text, scope, QUERY);
      return leafTree({ kind: 'exists' }, fields, this.#reading);
    }
    if (name === '*') {
      const word = this.#takes('word');
      if (word?.kind === 'word' && word.pattern === '*') return MATCH_ALL;
      throw unserved('[query_string] query on all fields [*] is not served');
    }
    return this.#value(weightedFields([name], scope, QUERY), false, true);
  }

  #boosted(tree: Tree): Tree {
    const boost = this.#takes('boost');
    if (boost?.kind !== 'boost') return tree;
    if (boost.number === undefined) throw unparsed(this.#text);
    return boosted(tree, numberOf(boost.number, QUERY, 'boost'));
  }

  #value(fields: readonly WeightedField[], free: boolean, named: boolean): Tree {
    if (this.#takes('open') !== null) return this.#group(fields);
    const leaf = this.#leaf(free, named);
    return leaf === null ? MATCH_ALL : leafTree(leaf, fields, this.#reading);
  }

  #group(fields: readonly WeightedField[]): Tree {
    if (++this.#depth > DEPTH)
      throw illegal(`[query_string] query is nested deeper than [${DEPTH}]`);
    const tree = this.#list(fields);
    if (this.#takes('close') === null) throw unparsed(this.#text);
    this.#depth--;
    return tree;
  }

  /** null: every document. */
  #leaf(free: boolean, named: boolean): StringLeaf | null {
    const token = this.#takes('phrase', 'regex', 'range', 'compare', 'word');
    switch (token?.kind) {
      case 'phrase':
        return { kind: 'phrase', text: token.text, slop: this.#tilde() ?? undefined };
      case 'regex':
        return { kind: 'regex', text: token.text };
      case 'range':
        return rangeLeaf(token.text, this.#text);
      case 'compare':
        return this.#compared(token.sign);
      case 'word':
        return this.#word(token, free, named);
      default:
        throw unparsed(this.#text);
    }
  }

  #word(
    token: StringToken & { readonly kind: 'word' },
    free: boolean,
    named: boolean,
  ): StringLeaf | null {
    const { text, pattern, wildcards } = token;
    if (wildcards > 0) {
      if (pattern === '*') return named ? { kind: 'exists' } : null;
      if (wildcards > 1 || !pattern.endsWith('*')) return { kind: 'wildcard', text: pattern };
      return { kind: 'prefix', text: unescaped(pattern.slice(0, -1)) };
    }
    if (this.#next.kind === 'tilde') {
      const edits = this.#tilde();
      if (edits === null) return { kind: 'fuzzy', text };
      if (edits > 2) throw illegal(`Valid edit distances are [0, 1, 2] but was [${edits}]`);
      return { kind: 'fuzzy', text, edits };
    }
    return { kind: 'words', text: free ? [text, ...this.#moreWords()].join(' ') : text };
  }

  /** Plain words that follow: the analyzer reads them as one text. */
  #moreWords(): readonly string[] {
    const words: string[] = [];
    for (;;) {
      const token = this.#next;
      const after = this.#tokens[this.#at + 1]?.kind;
      if (token.kind !== 'word' || token.wildcards > 0) return words;
      if (after === 'tilde' || after === 'boost') return words;
      words.push(token.text);
      this.#at++;
    }
  }

  #compared(sign: string): StringLeaf {
    const value = this.#takes('word', 'phrase');
    if (value?.kind !== 'word' && value?.kind !== 'phrase') throw unparsed(this.#text);
    const name = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[sign] as string;
    return { kind: 'range', bounds: { [name]: value.text } };
  }

  /** The whole number behind `~`; null: there is none. Throws RefusedDsl. */
  #tilde(): number | null {
    const token = this.#takes('tilde');
    if (token?.kind !== 'tilde' || token.number === undefined) return null;
    if (Number.isInteger(token.number)) return token.number;
    throw unserved(`[query_string] query with [~${token.number}] is not served`);
  }
}

const BOUNDS = /^[[{]\s*("(?:\\[\s\S]|[^"\\])*"|\S+)\s+TO\s+("(?:\\[\s\S]|[^"\\])*"|\S+?)\s*[\]}]$/;

function rangeLeaf(text: string, query: string): StringLeaf {
  const found = BOUNDS.exec(text);
  if (found === null) throw unparsed(query);
  const value = (written: string) =>
    unescaped(written.startsWith('"') ? written.slice(1, -1) : written);
  const [, from, to] = found;
  const bounds: Record<string, string> = {};
  if (from !== '*') bounds[text.startsWith('[') ? 'gte' : 'gt'] = value(from);
  if (to !== '*') bounds[text.endsWith(']') ? 'lte' : 'lt'] = value(to);
  return Object.keys(bounds).length === 0 ? { kind: 'exists' } : { kind: 'range', bounds };
}
