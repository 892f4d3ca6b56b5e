import type {
  AlterChange,
  AlterPlan,
  AlterStrategy,
  FieldCost,
  ReindexCost,
} from '@lakehouse-search/contract';
import type { FileSet, SourceTable } from '@lakehouse-search/lake';
import type { Commit } from '../index/commits/commit.ts';
import { sourceIdentity } from '../index/commits/source-identity.ts';
import type { Definition } from '../schema/definition.ts';
import { columnIds } from '../schema/hash-set.ts';
import type { Mapping } from '../schema/mapping.ts';
import { resolvedDefinition } from '../schema/parse/resolve-definition.ts';
import { skippedCount } from '../sync/batch/skipped-rows.ts';
import { type AlignedFields, alignFields, changedKeyColumn } from './align-fields.ts';
import { hasSnapshot } from './alter-generation.ts';
import { bytesOfColumns } from './column-cost.ts';
import { compareDefinitions, type LiveFacts } from './compare-definitions.ts';
import { columnsOf } from './reduced-mapping.ts';

/** A definition and the folder that its relative paths begin at. */
export interface LocatedDefinition {
  readonly definition: Definition;
  readonly baseDir: string;
}

/** The table of the new definition at the snapshot that it follows. */
export interface CandidateTable {
  readonly table: Pick<SourceTable, 'uuid' | 'restrictions' | 'schema' | 'snapshots'>;
  readonly files: FileSet;
  readonly mapping: Mapping;
}

/** The live generation that a new definition is compared with. */
export interface LiveGeneration {
  readonly number: number;
  readonly commit: Commit;
  /** The mapping that the commit was written under. */
  readonly mapping: Mapping;
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
  candidate: CandidateTable,
  live: LiveGeneration | null,
): Planned {
  const { table, files, mapping } = candidate;
  const rows = rowsOf(files);
  const embedded = embeddedFields(mapping);
  const [from, to] = [resolvedDefinition(now), resolvedDefinition(next)];
  const aligned = live && alignFields(live.commit, located(live, now), located(candidate, next));
  const facts: LiveFacts = {
    ...{ rows, embedded },
    droppedDuplicates: live?.commit.dropped_duplicates ?? 0,
    skippedRows: live === null ? 0 : skippedCount(live.commit),
    sameTable:
      live?.commit.checkpoint?.table_uuid === sourceIdentity(table) &&
      from.source.ref === to.source.ref,
    built: aligned?.built ?? new Set(),
    obstacle: live && aligned && obstacleTo(candidate, live, aligned),
  };
  const compared = compareDefinitions(from, to, facts);
  const planned = plannedOf(now, live === null ? compared.map(unbuilt) : compared);
  const { strategy } = planned;
  const bytes = files.files.reduce((sum, { data }) => sum + data.fileSize, 0);
  const cost: ReindexCost = { rows, bytes, texts: rows * embedded.size };
  return {
    ...planned,
    ...(strategy === 'reindex' ? { reindex_cost: cost } : {}),
    ...(strategy === 'field' && live !== null && aligned !== null
      ? { field_cost: fieldCost(candidate, live.commit, aligned, embedded) }
      : {}),
  };
}

/** A definition that differs from another one in its shards only needs no table. */
const SAME: LiveFacts = Object.freeze({
  ...{ rows: 0, droppedDuplicates: 0, skippedRows: 0, sameTable: true, obstacle: null },
  ...{ embedded: new Set<string>(), built: new Set<string>() },
});

/** As `planAlter` of an index that is built, if only its shards change; else null. */
export function planSharding(now: LocatedDefinition, next: LocatedDefinition): Planned | null {
  const changes = compareDefinitions(resolvedDefinition(now), resolvedDefinition(next), SAME);
  const isOnly = changes.every(
    ({ setting, strategy }) => setting.startsWith('sharding.') && strategy === 'live',
  );
  return isOnly && changes.length > 0 ? plannedOf(now, changes) : null;
}

function plannedOf({ definition }: LocatedDefinition, changes: readonly AlterChange[]): Planned {
  const strategy = STRATEGIES.find((one) => changes.some((own) => own.strategy === one)) ?? 'none';
  const lines = (wanted: AlterStrategy) =>
    changes.filter((own) => own.strategy === wanted).map(line);
  return {
    index: definition.index,
    is_noop: strategy === 'none',
    strategy,
    requires_reindex: strategy === 'reindex',
    reindex_reasons: lines('reindex'),
    field_changes: lines('field'),
    in_place_changes: lines('live'),
    changes,
  };
}

/** The costliest first. */
const STRATEGIES = ['reindex', 'field', 'live'] as const;

const located = ({ mapping }: { readonly mapping: Mapping }, { baseDir }: LocatedDefinition) => {
  return { mapping, baseDir };
};

/** Why the fields of an index cannot be built one by one; null: they can. */
function obstacleTo(
  { table, mapping }: CandidateTable,
  { commit, mapping: now }: LiveGeneration,
  { built }: AlignedFields,
): string | null {
  const { checkpoint } = commit;
  const id = checkpoint?.snapshot_id;
  const key = changedKeyColumn(now, mapping);
  const windows = mapping.definition.windows?.field;
  if (checkpoint?.table_uuid !== sourceIdentity(table)) return 'the table is another one now';
  if (!hasSnapshot(table, id)) return `the table has forgotten snapshot ${id} of the index`;
  if (key !== null) return `key column "${key}" is another one now`;
  if (windows !== undefined && built.has(windows)) return `windows are cut by field "${windows}"`;
  return null;
}

/** What an alter by field reads and embeds. */
function fieldCost(
  { table, files, mapping }: CandidateTable,
  { segments }: Commit,
  { built }: AlignedFields,
  embedded: ReadonlySet<string>,
): FieldCost {
  const fields = mapping.fields.filter(({ plan }) => built.has(plan.name));
  const numbers = new Set(fields.flatMap(({ source }) => columnsOf(source)));
  const sets = segments.flatMap(({ hashed = [] }) => hashed.map((run) => new Set(columnIds(run))));
  const columns = mapping.columns.filter(
    ({ id }, number) => numbers.has(number) || sets.some((set) => !set.has(id)),
  );
  const rows = columns.length === 0 ? 0 : rowsOf(files);
  const texts = rows * fields.filter(({ plan }) => embedded.has(plan.name)).length;
  return {
    fields: fields.map(({ plan }) => plan.name),
    columns: columns.map(({ name }) => name),
    ...{ rows, bytes: bytesOfColumns(files, columns, table.schema), texts },
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
