import type { Analyzer } from '../analysis/analyzer.ts';
import { analyzerFor } from '../analysis/registry.ts';
import type { AnalyzerDefinition } from '../schema/definition.ts';
import type { AnalyzerOf } from '../schema/mapping.ts';

/** Analyzers by name, each built once: those of the definition, else the built-in ones. Throws invalid_definition. */
export function analyzersOf(definitions: readonly AnalyzerDefinition[]): AnalyzerOf {
  const built = new Map<string, Analyzer>();
  return (name) => {
    const known = built.get(name);
    if (known !== undefined) return known;
    const analyzer = analyzerFor(name, definitions);
    built.set(name, analyzer);
    return analyzer;
  };
}
