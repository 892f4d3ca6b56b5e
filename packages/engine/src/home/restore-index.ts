/**
 * A restore of a backup as a new index:
 *
 * 1. Fill the folder `<uuid>.restoring` (open/restoring-folders.ts).
 * 2. Name the generation in CURRENT and open its commit with the definition.
 * 3. In one transaction of the registry: add the index, aliases and saved queries, rename the
 *    folder.
 *
 * Whatever fails before the transaction leaves nothing behind.
 */
import { randomUUID } from 'node:crypto';
import type { CallContext } from '@lakehouse-search/contract';
import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import { type Commit, checkBuild, commitBytes } from '../index/commits/commit.ts';
import { promoteGeneration } from '../open/index-folder.ts';
import { type OpenDirectory, openIndex } from '../open/open-index.ts';
import {
  discardRestoring,
  makeRestoring,
  publishRestored,
  type RestoringFolder,
} from '../open/restoring-folders.ts';
import type { RegisteredIndex, Registry } from '../registry/registry.ts';
import type { OwnedQuery } from '../registry/saved-queries.ts';
import type { Definition } from '../schema/definition.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { layoutOf } from '../schema/mapping.ts';
import { requireDefinition } from '../schema/parse/parse-definition.ts';
import { storeParsed } from '../schema/parse/parsed-definition.ts';
import { renameDefinition } from '../schema/rename-definition.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { Backup } from './backups.ts';
import type { BackupHead } from './manifest.ts';
import { restoreFiles } from './restore-files.ts';
import type { Home } from './stored-json.ts';

/** Where an index is restored to, and how. */
export interface RestoreOptions extends CallContext {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly openDirectory: OpenDirectory;
  /** The name of the new index. */
  readonly name: string;
  /** The UUID of the new index. Default: a random one. */
  readonly uuid?: string;
  readonly baseDir: string | undefined;
  readonly names: 'all' | 'free' | 'none';
}

/** What a new index takes over from the one whose files it gets. */
export type IndexOrigin = Pick<
  BackupHead,
  | 'definition'
  | 'definition_version'
  | 'base_dir'
  | 'index_generation'
  | 'aliases'
  | 'saved_queries'
>;

/** An index that was restored. */
export interface RestoredIndex {
  readonly bytes: number;
  readonly aliases: readonly string[];
  readonly savedQueries: readonly string[];
  readonly leftOut: readonly string[];
}

/**
 * Makes a new index from a backup. Throws index_exists, already_exists, invalid_definition,
 * corrupt_index, disk_short, interrupted, and as `inStore`.
 */
export async function restoreIndex(
  home: Home,
  backup: Backup,
  options: RestoreOptions,
): Promise<RestoredIndex> {
  const { openDirectory } = options;
  return makeIndex(backup.head, options, (folder) =>
    restoreFiles(home, backup, { folder, openDirectory }, options),
  );
}

/** Makes a new index; `fill` writes the files of a generation into its folder. */
export async function makeIndex(
  origin: IndexOrigin,
  options: RestoreOptions,
  fill: (folder: string) => Promise<Commit>,
): Promise<RestoredIndex> {
  const { dataDir, registry, openDirectory, name, signal, uuid = randomUUID() } = options;
  registry.requireFree(name);
  const definition = definitionNamed(origin, name);
  const { text } = definition;
  const staged = makeRestoring(dataDir, uuid, name);
  try {
    const folder = staged.path;
    const commit = await fill(folder);
    promoteGeneration(folder, { number: origin.index_generation, path: '' });
    requireOpens(folder, definition, commit, openDirectory);
    refuseAborted(signal);
    const index = {
      name,
      uuid,
      definition: text,
      parsed: storeParsed(definition),
      baseDir: options.baseDir ?? origin.base_dir,
      version: origin.definition_version,
      createdMs: Date.now(),
    };
    return { bytes: commitBytes(commit), ...register(staged, index, origin, options) };
  } catch (error) {
    discardRestoring(staged);
    throw error;
  } finally {
    staged.lock.release();
  }
}

/** The definition of a backup under a name. An index may have been renamed since it was built. */
export function definitionNamed(
  { definition: text }: Pick<IndexOrigin, 'definition'>,
  name: string,
): Definition {
  const own = requireDefinition(text, ANALYZER_CATALOG);
  return own.index === name
    ? own
    : requireDefinition(renameDefinition(text, name), ANALYZER_CATALOG);
}

/**
 * Opens the restored commit with its definition, and compares their fields. Models are not opened:
 * their checksums are those of the commit.
 */
function requireOpens(
  folder: string,
  definition: Definition,
  commit: Commit,
  openDirectory: OpenDirectory,
): void {
  const { snapshot, mapping } = openIndex(folder, definition, () => definition, openDirectory);
  try {
    const plans = mapping.fields.map(({ plan }) => withChecksum(plan, commit));
    checkBuild(commit, plans, layoutOf(mapping));
  } finally {
    snapshot.release();
  }
}

function withChecksum(plan: FieldPlan, { fields }: Commit): FieldPlan {
  const model = fields.find(({ id }) => id === plan.id)?.vector?.model;
  if (plan.vector === undefined || !model) return plan;
  return { ...plan, vector: { ...plan.vector, checksum: model.checksum } };
}

function register(
  staged: RestoringFolder,
  index: RegisteredIndex,
  origin: IndexOrigin,
  { registry, names }: RestoreOptions,
): Omit<RestoredIndex, 'bytes'> {
  const publish = () => publishRestored(staged);
  if (names === 'none') {
    registry.restore(index, { aliases: [], queries: () => [], onlyFree: true }, publish);
    const leftOut = [...origin.aliases, ...origin.saved_queries.map(({ name }) => name)];
    return { aliases: [], savedQueries: [], leftOut };
  }
  const aliases = origin.aliases.filter((alias) => alias !== index.name);
  const queries = (leftOut: readonly string[]) =>
    origin.saved_queries.map((query) => ofIndex(query, index.name, aliases, leftOut));
  const onlyFree = names === 'free';
  const taken = registry.restore(index, { aliases, queries, onlyFree }, publish);
  const saved = origin.saved_queries.map(({ name }) => name);
  return {
    aliases: aliases.filter((alias) => !taken.aliases.includes(alias)),
    savedQueries: saved.filter((name) => !taken.queries.includes(name)),
    leftOut: [...taken.aliases, ...taken.queries],
  };
}

/** A saved query of the restored index: by an alias that was restored, else by its name. */
function ofIndex(
  query: OwnedQuery,
  index: string,
  aliases: readonly string[],
  leftOut: readonly string[],
): OwnedQuery {
  const { request } = query;
  const named = request.index ?? '';
  if (aliases.includes(named) && !leftOut.includes(named)) return query;
  return { ...query, request: { ...request, index } };
}
