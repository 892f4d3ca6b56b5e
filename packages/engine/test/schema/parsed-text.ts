import type { AnalyzerCatalog } from '../../src/schema/parse/parse-analyzers.ts';
import { parseDefinition } from '../../src/schema/parse/parse-definition.ts';

/** A catalog of analyzers of which one option is bad. */
export const catalog: AnalyzerCatalog = {
  names: ['standard', 'english', 'simple', 'keyword'],
  tokenizers: ['standard', 'code'],
  filters: ['lowercase', 'ascii_folding', 'ngram'],
  check: (definition) => ('bad' in definition.options ? 'unknown option "bad"' : null),
};
/** Parses a definition with the analyzers of `catalog`. */
export const parse = (text: string) => parseDefinition(text, catalog);
/** The faults of a definition, as `line:column severity message`. */
export const faults = (text: string) =>
  parse(text).issues.map((i) => `${i.line}:${i.column} ${i.severity} ${i.message}`);

/** The beginning of a definition: five lines. */
export const HEAD = `version: 1
index: commits
source:
  catalog: { type: filesystem, warehouse: ./warehouse }
  table: git.commits
`;
