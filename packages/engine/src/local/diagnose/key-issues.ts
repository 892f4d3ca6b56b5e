import { type DefinitionIssue, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { DROPPED_SHARE, type SharedKey, sharedRows } from '../../documents/shared-key.ts';
import type { Definition } from '../../schema/definition.ts';
import type { ParsedDefinition } from '../../schema/parse/parse-definition.ts';
import { createReport } from '../../schema/parse/yaml-tree.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { findSharedKey } from '../../sync/build/check-keys.ts';

/** Rows whose keys a check of a definition compares. */
const SAMPLE_ROWS = 100_000;

/** What the first 100,000 rows say against the key of a sound definition. Throws of the table. */
export async function keyIssues(
  { definition, places }: ParsedDefinition,
  text: string,
  table: SourceTable,
): Promise<readonly DefinitionIssue[]> {
  if (definition === null) return [];
  const snapshotId = followedSnapshot(table, definition.source.ref);
  const mapping = mappingOver(definition, table);
  const report = createReport(text);
  const at = [...places.key.values()][0] ?? places.source;
  try {
    const shared = await findSharedKey({ table, mapping, snapshotId, limit: SAMPLE_ROWS });
    const message = shared && problem(definition, shared);
    if (message !== null)
      report[definition.onDuplicateKey === 'refuse' ? 'error' : 'warning'](at, message);
  } catch (error) {
    if (!(error instanceof LhsError) || error.details.column === undefined) throw error;
    report[definition.onBadRow === 'refuse' ? 'error' : 'warning'](at, error.message);
  }
  return report.issues;
}

function problem({ onDuplicateKey }: Definition, { key, extra }: SharedKey): string | null {
  const { rows, of } = extra!;
  const shares = `${sharedRows({ rows, of })}, as key ${key}`;
  if (onDuplicateKey === 'refuse') return `the key does not tell rows apart: ${shares}`;
  return rows > DROPPED_SHARE * of ? `on_duplicate_key: last drops rows: ${shares}` : null;
}
