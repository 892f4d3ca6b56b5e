import { resolve } from 'node:path';
import type { AlterChange, AlterPlan, ReindexCost } from '@lakehouse-search/contract';
import type { FileSet } from '@lakehouse-search/lake';
import type { Definition, FieldDefinition } from '../schema/definition.ts';
import type { Mapping } from '../schema/mapping.ts';
import { resolveCatalog, resolvePath } from '../schema/resolve-catalog.ts';
import { compareDefinitions, type LiveFacts } from './compare-definitions.ts';

/** A definition and the folder that its relative paths begin at. */
export interface LocatedDefinition {
  readonly definition: Definition;
  readonly baseDir: string;
}

/** The table of the new definition at the snapshot that it follows. */
export interface CandidateTable {
  readonly uuid: string;
  readonly files: FileSet;
  readonly mapping: Mapping;
}

/** The live generation that a new definition is compared with. */
export interface LiveGeneration {
  readonly number: number;
  readonly tableUuid: string;
  readonly droppedDuplicates: number;
  readonly skippedRows: number;
}

/** What of an answer the plan alone decides. */
export type Planned = Omit<AlterPlan, 'applied' | 'reindex_triggered' | 'generation'>;

/**
 * What a new definition changes. Without a live generation (null) every change is live: there is
 * nothing to rebuild.
 */
export function planAlter(
  now: LocatedDefinition,
  next: LocatedDefinition,
  table: CandidateTable,
  live: LiveGeneration | null,
): Planned {
  const rows = rowsOf(table.files);
  const [from, to] = [resolvedDefinition(now), resolvedDefinition(next)];
  const facts: LiveFacts = {
    rows,
    embedded: embeddedFields(table.mapping),
    droppedDuplicates: live?.droppedDuplicates ?? 0,
    skippedRows: live?.skippedRows ?? 0,
    sameTable: live?.tableUuid === table.uuid && from.source.ref === to.source.ref,
  };
  const compared = compareDefinitions(from, to, facts);
  const changes = live === null ? compared.map(unbuilt) : compared;
  const rebuilt = changes.filter(({ strategy }) => strategy === 'reindex');
  const bytes = table.files.files.reduce((sum, { data }) => sum + data.fileSize, 0);
  const cost: ReindexCost = { rows, bytes, texts: rows * facts.embedded.size };
  return {
    index: now.definition.index,
    is_noop: changes.length === 0,
    requires_reindex: rebuilt.length > 0,
    reindex_reasons: rebuilt.map(line),
    in_place_changes: changes.filter(({ strategy }) => strategy === 'live').map(line),
    changes,
    ...(rebuilt.length > 0 ? { reindex_cost: cost } : {}),
  };
}

const line = ({ setting, reason }: AlterChange): string => `${setting}: ${reason}`;

/** A change of an index that was never built costs nothing. */
function unbuilt({ setting, from, to }: AlterChange): AlterChange {
  return { setting, from, to, strategy: 'live', reason: 'the index has not been built yet' };
}

/** Rows of the data files, deleted ones included: what a scan reads at most. */
function rowsOf({ files }: FileSet): number {
  return files.reduce((sum, { data }) => sum + data.recordCount, 0);
}

function embeddedFields({ fields }: Mapping): ReadonlySet<string> {
  const embedded = fields.filter(({ plan }) => (plan.vector?.model ?? null) !== null);
  return new Set(embedded.map(({ plan }) => plan.name));
}

/** The definition with its relative paths resolved, so that two folders can be compared. */
function resolvedDefinition({ definition, baseDir }: LocatedDefinition): Definition {
  const { source } = definition;
  const resolved =
    'path' in source
      ? { ...source, path: resolvePath(source.path, baseDir) }
      : { ...source, catalog: resolveCatalog(source.catalog, baseDir) };
  const fields = definition.fields.map((field) => withModel(field, baseDir));
  return { ...definition, source: resolved, fields };
}

function withModel(field: FieldDefinition, baseDir: string): FieldDefinition {
  const model = field.vector?.model;
  if (field.vector === undefined || model === undefined || model === 'default') return field;
  return { ...field, vector: { ...field.vector, model: resolve(baseDir, model) } };
}
