import { didYouMean } from '@lakehouse-search/contract/internal';
import type { AnalyzerDefinition } from '../definition.ts';
import { readList, readText } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** What the analysis layer offers, as far as a definition's check needs it. */
export interface AnalyzerCatalog {
  /** Built-in analyzers. */
  readonly names: readonly string[];
  readonly tokenizers: readonly string[];
  readonly filters: readonly string[];
  /** Builds the analyzer for a trial: what is wrong with its options, or null. */
  check(definition: AnalyzerDefinition): string | null;
}

/**
 * The `analyzers` block: custom chains of a tokenizer and filters. Faulty ones are reported and
 * left out.
 */
export function parseAnalyzers(
  tree: Tree | undefined,
  catalog: AnalyzerCatalog,
  report: Report,
): readonly AnalyzerDefinition[] {
  const items = (tree && readList(tree, 'analyzers', report)) ?? [];
  const found: AnalyzerDefinition[] = [];
  for (const item of items) {
    const analyzer = parseAnalyzer(item, catalog, report);
    if (analyzer === undefined) continue;
    if (found.some((other) => other.name === analyzer.name)) {
      report.error(item.at, `analyzer "${analyzer.name}" is given twice`);
    } else found.push(analyzer);
  }
  return found;
}

function parseAnalyzer(
  tree: Tree,
  catalog: AnalyzerCatalog,
  report: Report,
): AnalyzerDefinition | undefined {
  if (tree.kind !== 'map') {
    report.error(tree.at, 'an analyzer must be a map of name, tokenizer, filters and options');
    return undefined;
  }
  const entry = (key: string) => tree.entries.find((e) => e.key === key)?.value;
  const nameTree = entry('name');
  const tokenizerTree = entry('tokenizer');
  if (nameTree === undefined) report.error(tree.at, 'an analyzer needs a name');
  if (tokenizerTree === undefined) report.error(tree.at, 'an analyzer needs a tokenizer');
  const name = nameTree && readText(nameTree, 'name', report);
  const tokenizer =
    tokenizerTree && readKnown(tokenizerTree, 'tokenizer', catalog.tokenizers, report);
  const filters = readFilters(entry('filters'), catalog.filters, report);
  if (name !== undefined && !/^[a-z0-9][a-z0-9_-]{0,127}$/.test(name)) {
    report.error(nameTree!.at, `"${name}" is not an analyzer name: a-z, 0-9, _ and -`);
    return undefined;
  }
  if (name === undefined || tokenizer === undefined || filters === undefined) return undefined;
  const options = Object.fromEntries(
    tree.entries
      .filter((e) => !['name', 'tokenizer', 'filters'].includes(e.key))
      .map((e) => [e.key, plain(e.value)]),
  );
  const analyzer = Object.freeze({ name, tokenizer, filters, options });
  const fault = catalog.check(analyzer);
  if (fault !== null) report.error(tree.at, `analyzer "${name}": ${fault}`);
  return analyzer;
}

function readKnown(
  tree: Tree,
  what: string,
  known: readonly string[],
  report: Report,
): string | undefined {
  const name = readText(tree, what, report);
  if (name === undefined || known.includes(name)) return name;
  const near = didYouMean(name, known);
  const hint = near === '' ? `; known: ${known.join(', ')}` : near;
  report.error(tree.at, `unknown ${what} "${name}"${hint}`);
  return undefined;
}

/** A filter is a name, or a map of one name to its options (or with its name under `type`). */
function readFilters(
  tree: Tree | undefined,
  known: readonly string[],
  report: Report,
): AnalyzerDefinition['filters'] | undefined {
  if (tree === undefined) return [];
  const filters: (string | Readonly<Record<string, unknown>>)[] = [];
  for (const item of readList(tree, 'filters', report) ?? []) {
    if (item.kind === 'map') {
      const named = item.entries.find((e) => e.key === 'type')?.value;
      const first = item.entries[0];
      if (named !== undefined) readKnown(named, 'filter', known, report);
      else if (first === undefined || !known.includes(first.key)) {
        const near = first === undefined ? '' : didYouMean(first.key, known);
        report.error(item.at, `unknown filter "${first?.key ?? '{}'}"${near}`);
      }
      filters.push(plain(item) as Readonly<Record<string, unknown>>);
    } else {
      const name = readKnown(item, 'filter', known, report);
      if (name !== undefined) filters.push(name);
    }
  }
  return filters;
}

function plain(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plain);
  return Object.fromEntries(tree.entries.map((entry) => [entry.key, plain(entry.value)]));
}
