import { LhsError } from '@lakehouse-search/contract';
import type { Analyzer } from '../analysis/analyzer.ts';
import { analyzerFor } from '../analysis/registry.ts';
import type { AnalyzerDefinition, Definition } from '../schema/definition.ts';
import type { AnalyzerOf } from '../schema/mapping.ts';

/**
 * Analyzers by name, each built once: those of the definition, else the built-in ones. Throws
 * invalid_definition.
 */
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

/** The analyzer's name of a TEXT field. Throws invalid_argument for any other. */
export function fieldAnalyzer(definition: Definition, name: string): string {
  const field = definition.fields.find((candidate) => candidate.name === name);
  if (field?.analyzer !== undefined) return field.analyzer;
  const variant = definition.variants.find(({ column, flatten }) => flatten && column === name);
  if (variant !== undefined) return variant.analyzer ?? 'standard';
  const texts = definition.fields.filter((candidate) => candidate.analyzer !== undefined);
  const what = field === undefined ? `is not in index "${definition.index}"` : `is ${field.type}`;
  throw new LhsError('invalid_argument', `field "${name}" ${what}, not a TEXT field of it`, {
    hint: `TEXT fields: ${texts.map((candidate) => candidate.name).join(', ')}`,
  });
}
