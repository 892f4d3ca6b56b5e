/**
 * Analyzers by name: the built-in ones, as tables of parts, and those that a definition puts
 * together.
 */

import { LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import type { Analyzer } from './analyzer.ts';
import { type AnalysisComponent, FILTERS, TOKENIZERS } from './components.ts';
import { FOLDED_FIRST, LANGUAGES } from './language/languages.ts';
import { fault, readComponentOptions } from './options.ts';
import { buildAnalyzer } from './pipeline.ts';
import { simpleAnalyzer } from './simple.ts';

/**
 * A chain as a definition writes it: a filter is a name, or `{name: options}`, or its options with
 * its name as `type`.
 */
export interface Chain {
  readonly name: string;
  readonly tokenizer: string;
  readonly filters: readonly (string | Readonly<Record<string, unknown>>)[];
  /** The tokenizer's. */
  readonly options: Readonly<Record<string, unknown>>;
}

const chain = (name: string, tokenizer: string, filters: Chain['filters'] = []): Chain => ({
  name,
  tokenizer,
  filters,
  options: {},
});

/** Languages whose articles are written with an apostrophe. */
const ELIDING = ['french', 'italian'];

const languageChain = (language: string): Chain => {
  const before =
    language === 'english' ? ['possessive'] : ELIDING.includes(language) ? ['elision'] : [];
  return chain(language, 'standard', [
    'lowercase',
    ...before,
    { stop: { language } },
    ...(FOLDED_FIRST.has(language) ? ['folding'] : []),
    { stemmer: { language } },
  ]);
};

const BUILT_IN: ReadonlyMap<string, Chain> = new Map(
  [
    chain('standard', 'standard', ['lowercase']),
    chain('folded', 'standard', ['lowercase', 'elision', 'folding']),
    chain('korean', 'standard', ['lowercase', 'folding', 'korean_particles']),
    chain('whitespace', 'whitespace'),
    chain('keyword', 'keyword'),
    chain('ngram', 'ngram', ['lowercase']),
    chain('code', 'code', ['lowercase', 'unique']),
    chain('cjk', 'cjk', ['width', 'lowercase']),
    ...LANGUAGES.map(languageChain),
  ].map((c) => [c.name, c] as const),
);

/** Names of the built-in analyzers. */
export const ANALYZER_NAMES: readonly string[] = Object.freeze(
  [...BUILT_IN.keys(), 'simple'].sort(),
);

/**
 * The analyzer of a name: one of the definition's own (which come first), or a built-in one. Throws
 * invalid_definition for a name, tokenizer, filter or option that is not known, with the nearest
 * that is.
 */
export function analyzerFor(name: string, own: readonly Chain[] = []): Analyzer {
  const found = own.find((c) => c.name === name);
  if (found === undefined && name === 'simple') return simpleAnalyzer;
  const built = found ?? BUILT_IN.get(name);
  if (built !== undefined) return assemble(built);
  const names = [...own.map((c) => c.name), ...ANALYZER_NAMES];
  throw fault(
    `unknown analyzer "${name}"${didYouMean(name, names) || `; known: ${names.join(', ')}`}`,
  );
}

/** What a definition's check needs to know of analysis (schema/parse/parse-analyzers.ts). */
export const ANALYZER_CATALOG = Object.freeze({
  names: ANALYZER_NAMES,
  tokenizers: Object.freeze(Object.keys(TOKENIZERS)),
  filters: Object.freeze(Object.keys(FILTERS)),
  /** Builds the analyzer for a trial: what is wrong with it, or null. */
  check(definition: Chain): string | null {
    try {
      assemble(definition);
      return null;
    } catch (error) {
      if (error instanceof LhsError) return error.message;
      throw error;
    }
  },
});

function assemble({ name, tokenizer, filters, options }: Chain): Analyzer {
  return buildAnalyzer(
    name,
    make('tokenizer', TOKENIZERS, tokenizer, options),
    filters.map((filter) => {
      const [filterName, options] = typeof filter === 'string' ? [filter, {}] : named(filter);
      return make('filter', FILTERS, filterName, options);
    }),
  );
}

function make<T>(
  kind: string,
  table: Readonly<Record<string, AnalysisComponent<T>>>,
  name: string,
  options: Readonly<Record<string, unknown>>,
): T {
  if (!Object.hasOwn(table, name)) {
    const known = Object.keys(table);
    throw fault(
      `unknown ${kind} "${name}"${didYouMean(name, known) || `; known: ${known.join(', ')}`}`,
    );
  }
  const what = `${kind} "${name}"`;
  return table[name].make(readComponentOptions(what, table[name].options, options), what);
}

/** The name and the options of a filter that is written as a map. */
function named(
  filter: Readonly<Record<string, unknown>>,
): [string, Readonly<Record<string, unknown>>] {
  if (typeof filter.type === 'string') {
    const { type, ...options } = filter;
    return [type, options];
  }
  const entries = Object.entries(filter);
  if (entries.length !== 1) throw fault('a filter is a name, or a map of one name to its options');
  const [[name, options]] = entries;
  if (options === null || options === undefined) return [name, {}];
  if (typeof options === 'object' && !Array.isArray(options)) {
    return [name, options as Readonly<Record<string, unknown>>];
  }
  throw fault(`filter "${name}" needs a map of options`);
}
