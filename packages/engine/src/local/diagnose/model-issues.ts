import { existsSync } from 'node:fs';
import type { DefinitionIssue } from '@lakehouse-search/contract';
import { DEFAULT_MODEL } from '../../embed/embedder.ts';
import type { ParsedDefinition } from '../../schema/parse/parse-definition.ts';
import { resolveFile } from '../../schema/parse/resolve-catalog.ts';
import { createReport } from '../../schema/parse/yaml-tree.ts';

/**
 * Issues of a definition and what the check found of its models: a warning for each folder that is
 * not there, which only a reindex needs. In the order of the text.
 */
export function withModelIssues(
  issues: readonly DefinitionIssue[],
  { draft, places }: ParsedDefinition,
  text: string,
  baseDir: string,
): readonly DefinitionIssue[] {
  const report = createReport(text);
  for (const { name, vector } of draft?.fields ?? []) {
    if (vector?.model === undefined || vector.model === DEFAULT_MODEL) continue;
    const folder = resolveFile(vector.model, baseDir);
    if (existsSync(folder)) continue;
    const at = places.fields.get(name)?.settings.get('model') ?? places.source;
    report.warning(at, `no model at "${folder}": a reindex will need it`);
  }
  const byPlace = (a: DefinitionIssue, b: DefinitionIssue) =>
    a.line - b.line || a.column - b.column;
  return [...issues, ...report.issues].sort(byPlace);
}
