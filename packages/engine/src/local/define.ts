import type {
  CallContext,
  CreateIndexRequest,
  DefinitionIssue,
  IndexDescription,
  IndexRequest,
  IndexSummary,
  ListRequest,
  ValidateDefinitionRequest,
} from '@lakehouse-search/contract';
import {
  checkCreateIndexRequest,
  checkIndexRequest,
  checkListRequest,
  checkValidateRequest,
  LhsError,
} from '@lakehouse-search/contract';
import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import { describeIndex } from '../open/describe-index.ts';
import { tableName } from '../open/open-index.ts';
import { checkAgainstTable } from '../schema/mapping.ts';
import {
  invalidDefinition,
  parseDefinition,
  requireDefinition,
} from '../schema/parse-definition.ts';
import { storeParsed } from '../schema/parsed-definition.ts';
import { accessible, isListed, requireListed } from './caller.ts';
import { describeTenant } from './describe-tenant.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Registers an index, after a look at its table. Throws invalid_definition, index_exists. */
export async function createLocal(
  indexes: LocalIndexes,
  request: CreateIndexRequest,
  call: CallContext,
): Promise<IndexDescription> {
  const { definition: text, base_dir = '' } = checkCreateIndexRequest(request);
  const issues = await issuesOf({ definition: text, base_dir, against_source: true });
  if (issues.some((issue) => issue.severity === 'error')) throw invalidDefinition(issues);
  const definition = requireDefinition(text, ANALYZER_CATALOG);
  requireListed(call, definition.index);
  indexes.sweep();
  indexes.registry.add(definition.index, text, base_dir, storeParsed(definition));
  return describeIndex(definition, null);
}

/** What an index is now. Throws index_not_found, corrupt_index, io_error. */
export async function describeLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexDescription> {
  if (call.principal?.tenant !== undefined) return describeTenant(indexes, request, call);
  const { index } = checkIndexRequest(request);
  return indexes.describe(accessible(indexes, index, call));
}

/** The caller's indexes by name; one that cannot be opened has an `error`. */
export function listLocal(
  indexes: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly IndexSummary[] {
  checkListRequest(request);
  const listed = indexes.registry.list().filter(({ name }) => isListed(call, name));
  return listed.map(({ name }) => {
    try {
      const { status, num_docs, bytes = 0, snapshot } = indexes.describe(indexes.known(name));
      return { name, status, num_docs, bytes, snapshot };
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      const nothing = { num_docs: 0, bytes: 0, snapshot: null };
      return { name, status: 'live', ...nothing, error: error.message };
    }
  });
}

/** What is wrong with a definition, by itself and against its table. Throws as `openSource`. */
export async function validateLocal(
  request: ValidateDefinitionRequest,
): Promise<readonly DefinitionIssue[]> {
  return issuesOf(checkValidateRequest(request));
}

async function issuesOf({
  definition: text,
  base_dir = '',
  against_source,
  source,
}: ValidateDefinitionRequest): Promise<readonly DefinitionIssue[]> {
  const parsed = parseDefinition(text, ANALYZER_CATALOG);
  const { draft } = parsed;
  if (draft === null || !against_source) return parsed.issues;
  const { openSource, sourceInstead } = await import('../source/source-table.ts');
  const place = sourceInstead(draft.source, source);
  const table = await openSource(place, base_dir).catch((error: unknown) => {
    if (parsed.definition === null) return null;
    throw error;
  });
  if (table === null) return parsed.issues;
  try {
    const issues = checkAgainstTable(parsed, text, table.schema, tableName(draft));
    const { withModelIssues } = await import('./model-issues.ts');
    return withModelIssues(issues, parsed, text, base_dir);
  } finally {
    await table.close();
  }
}
