import { existsSync } from 'node:fs';
import {
  type CallContext,
  type CreateIndexRequest,
  type DefinitionIssue,
  type DropIndexRequest,
  type DropResponse,
  type IndexDescription,
  LhsError,
  type ValidateDefinitionRequest,
} from '@lakehouse-search/contract';
import {
  checkCreateIndexRequest,
  checkDropIndexRequest,
  checkValidateRequest,
  isRestricted,
  refuseListed,
  requireListed,
} from '@lakehouse-search/contract/internal';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { inTurns } from '../../base/turns.ts';
import { endDeadJobs } from '../../open/dead-jobs.ts';
import { describeIndex } from '../../open/describe-index.ts';
import { dropFolder, folderSize } from '../../open/dropped-folders.ts';
import { indexFolder } from '../../open/index-folder.ts';
import { tableName } from '../../open/open-index.ts';
import type { RegisteredIndex } from '../../registry/registry.ts';
import type { Definition } from '../../schema/definition.ts';
import { checkAgainstTable } from '../../schema/mapping.ts';
import {
  invalidDefinition,
  type ParsedDefinition,
  parsingDefinition,
} from '../../schema/parse/parse-definition.ts';
import { storeParsed } from '../../schema/parse/parsed-definition.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import { inStore } from '../../source/store-errors.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { requireWritable } from '../served-folder.ts';
import { dropPublished } from './publish.ts';
import { buildRunning, withLock } from './write-index.ts';

/**
 * Registers an index after a check against its table and its store. Throws invalid_definition,
 * index_exists, and as `inStore`.
 */
export async function createLocal(
  indexes: LocalIndexes,
  request: CreateIndexRequest,
  call: CallContext,
): Promise<IndexDescription> {
  const { definition: text, base_dir = '' } = checkCreateIndexRequest(request);
  requireWritable(indexes, 'add an index to');
  const definition = await definitionOver(text, base_dir);
  requireListed(call, definition.index);
  const place = homePlace(definition, base_dir);
  const commit = place === null ? null : await newestIn(place, definition.index, call.signal);
  indexes.sweep();
  indexes.registry.add(definition.index, text, base_dir, storeParsed(definition));
  const description = describeIndex(definition, null);
  if (commit === null) return description;
  const published = { place: `${place}/${definition.index}`, commit, snapshot: null };
  return { ...description, published: { ...published, pending: true } };
}

/** The number of the newest commit of a name in a store; null: nothing is there. */
async function newestIn(
  place: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const { openHome } = await import('../../home/repository.ts');
  const { readHead } = await import('../../home/chain.ts');
  const head = await inStore(async () => readHead(await openHome(place), name, signal));
  return head?.number ?? null;
}

/**
 * Drops an index and what belongs to it: it is gone when its row is, and its files follow
 * (open/dropped-folders.ts). Throws index_not_found, invalid_argument for an alias, index_busy if
 * a build runs on it, io_error.
 */
export const dropLocal = (
  indexes: LocalIndexes,
  request: DropIndexRequest,
  call: CallContext,
): Promise<DropResponse> =>
  removeHere(indexes, request, call, (registered) => dropPublished(indexes, registered));

/** Removes an index from this data folder alone; what it has published stays. Throws as above. */
export const leaveLocal = (
  indexes: LocalIndexes,
  request: DropIndexRequest,
  call: CallContext,
): Promise<DropResponse> => removeHere(indexes, request, call, async () => {});

/** `first`: runs before the index is gone, so that a drop that was killed is repeated. */
async function removeHere(
  indexes: LocalIndexes,
  request: DropIndexRequest,
  call: CallContext,
  first: (registered: RegisteredIndex) => Promise<void>,
): Promise<DropResponse> {
  const { index } = checkDropIndexRequest(request);
  const { dataDir, registry, clock } = indexes;
  // a definition that cannot be read stops no drop
  if (isRestricted(call)) accessible(indexes, index, call);
  const registered = registry.named(index);
  const { uuid } = registered;
  const folder = indexFolder(dataDir, uuid);
  const turn = { what: 'drop', signal: call.signal, home: false } as const;
  const refuseBuild = () => {
    const build = registry.jobs.build(uuid);
    if (build !== undefined) throw buildRunning('drop', registered.name, build);
  };
  const rows = await withLock(indexes, registered, turn, async () => {
    endDeadJobs(indexes, clock.now(), uuid);
    refuseBuild();
    await first(registered);
    const removed = registry.remove(uuid);
    refuseBuild();
    indexes.forget(uuid);
    return removed;
  });
  const size = folderSize(folder, clock.now());
  await dropColdObjects(indexes, uuid);
  dropFolder(folder);
  indexes.sweep();
  const { aliases = [], savedQueries: saved_queries = 0, jobs = 0 } = rows ?? {};
  return { index: registered.name, aliases, saved_queries, jobs, ...size };
}

/** Removes the cold windows of an index that is gone; those that cannot be stay in their store. */
async function dropColdObjects(indexes: LocalIndexes, uuid: string): Promise<void> {
  const { dataDir, openDirectory, clock } = indexes;
  const folder = indexFolder(dataDir, uuid);
  const { formerPlaces, sweepFormer } = await import('../../home/windows/former-objects.ts');
  try {
    const index = { folder, uuid, openDirectory, now: clock.now() };
    await sweepFormer(index, formerPlaces(index), true);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    // Another process has swept the folder, which names the objects.
    if (!existsSync(folder)) return;
    const what = `the cold windows of a dropped index stay in their store: ${error.message}`;
    process.emitWarning(what, 'LhsWarning');
  }
}

/** Parses a definition in several turns of the event loop. */
export const parsedInTurns = (text: string): Promise<ParsedDefinition> =>
  inTurns(parsingDefinition(text, ANALYZER_CATALOG));

/** A definition that its table can give. Throws invalid_definition, and as `openSource`. */
export async function definitionOver(text: string, base_dir: string): Promise<Definition> {
  const parsed = await parsedInTurns(text);
  const issues = await issuesOf(parsed, { definition: text, base_dir, against_source: true });
  const isWrong = issues.some((issue) => issue.severity === 'error');
  if (isWrong || parsed.definition === null) throw invalidDefinition(issues);
  return parsed.definition;
}

/** The issues of a definition, alone and against its table and first rows. Throws as `openSource`. */
export async function validateLocal(
  _indexes: LocalIndexes,
  request: ValidateDefinitionRequest,
  call: CallContext,
): Promise<readonly DefinitionIssue[]> {
  const checked = checkValidateRequest(request);
  if (checked.against_source === true) refuseListed(call, 'validateDefinition against_source');
  return issuesOf(await parsedInTurns(checked.definition), checked, { keys: true });
}

async function issuesOf(
  parsed: ParsedDefinition,
  { definition: text, base_dir = '', against_source, source }: ValidateDefinitionRequest,
  check: { readonly keys: boolean } = { keys: false },
): Promise<readonly DefinitionIssue[]> {
  const { draft } = parsed;
  if (draft === null || !against_source) return parsed.issues;
  const { openSource, requireReadableFiles, sourceInstead } = await import(
    '../../source/source-table.ts'
  );
  const location = sourceInstead(draft.source, source);
  const table = await openSource(location, base_dir).catch((error: unknown) => {
    if (parsed.definition === null) return null;
    throw error;
  });
  if (table === null) return parsed.issues;
  try {
    await requireReadableFiles(table, draft.source.ref);
    const issues = checkAgainstTable(parsed, text, table.schema, tableName(draft));
    const isSound = issues.every(({ severity }) => severity !== 'error');
    const { keyIssues } = await import('../diagnose/key-issues.ts');
    const ofKeys = check.keys && isSound ? await keyIssues(parsed, text, table) : [];
    const { withModelIssues } = await import('../diagnose/model-issues.ts');
    return withModelIssues([...issues, ...ofKeys], parsed, text, base_dir);
  } finally {
    await table.close();
  }
}
