import { LhsError } from '@lakehouse-search/contract';
import type { CatalogConfig } from '@lakehouse-search/lake';
import { parseCatalog } from './parse-source.ts';
import { resolveCatalog } from './resolve-catalog.ts';
import { createReport, readYaml } from './yaml-tree.ts';

const CATALOG_FILE = {
  noun: 'catalog file',
  empty: 'it holds what "source.catalog" of a definition holds: type, warehouse or uri, …',
};

/**
 * The catalog of a YAML file, checked as the `source.catalog` of a definition is; relative paths
 * are resolved against `baseDir`. `file` is the name for messages. Throws invalid_argument with
 * the place of the first fault.
 */
export function readCatalogFile(text: string, file: string, baseDir: string): CatalogConfig {
  const report = createReport(text);
  const tree = readYaml(text, report, CATALOG_FILE);
  const catalog = tree === null ? undefined : parseCatalog(tree, 'the catalog', report);
  if (catalog !== undefined && !report.failed()) return resolveCatalog(catalog, baseDir);
  const errors = report.issues.filter((issue) => issue.severity === 'error');
  const { line, column, message } = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new LhsError('invalid_argument', `${file}:${line}:${column}: ${message}${more}`, {
    hint: 'docs/definition.md lists the keys of each catalog',
    details: { issues: report.issues },
  });
}
