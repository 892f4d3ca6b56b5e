import type { Analyzer } from '../analysis/analyzer.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { LhsError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import type { AnalyzerDefinition } from '../schema/definition.ts';
import type { AnalyzerOf } from '../schema/mapping.ts';
import type { AnalyzerCatalog } from '../schema/parse-analyzers.ts';

/** What definitions may name: built-in analyzers, tokenizers, filters. */
export const ANALYZER_CATALOG: AnalyzerCatalog = Object.freeze({
  names: ['simple', 'standard', 'english'],
  tokenizers: [],
  filters: [],
  check: () => null,
});

/** Analyzers by name, built once: those of the definition, else the built-in ones. Throws invalid_argument. */
export function analyzersOf(definitions: readonly AnalyzerDefinition[]): AnalyzerOf {
  const built = new Map<string, Analyzer>();
  return (name) => {
    const known = built.get(name);
    if (known !== undefined) return known;
    const analyzer = simpleAnalyzer;
    if (!ANALYZER_CATALOG.names.includes(name)) {
      const names = [...definitions.map((one) => one.name), ...ANALYZER_CATALOG.names];
      throw new LhsError(
        'invalid_argument',
        `unknown analyzer "${name}"${didYouMean(name, names)}`,
      );
    }
    built.set(name, analyzer);
    return analyzer;
  };
}
