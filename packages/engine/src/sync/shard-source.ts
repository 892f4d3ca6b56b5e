/**
 * The changes of a table for shards that are elsewhere: a connector reads each step once and sends
 * each shard its part, as a change batch.
 *
 * 1. A checkpoint names the file set that a shard has followed. The difference to the file set of
 *    the next snapshot is planned as in a sync (plan-batch.ts). The positions that a shard has are
 *    not known here; those that were live under the former deletes are.
 * 2. If the former snapshot has expired, files whose deletes have changed are sent whole: the shard
 *    keeps the documents of equal rows.
 * 3. Removed positions go to every shard, a row to the shard of its key.
 * 4. Rows that lost to another one of their key (`on_duplicate_key: last`) are unknown here: if
 *    rows are removed from such an index, the step contains every live row.
 */

import {
  type BatchPart,
  type ChangeBatch,
  type CheckpointState,
  LhsError,
  type SourceFile,
} from '@lakehouse-search/contract';
import { encodePart, type TypedPart } from '@lakehouse-search/contract/internal';
import type { Batch, FileScan, FileSet, Schema, SourceTable } from '@lakehouse-search/lake';
import { normalizeRecorded, selectRows } from '@lakehouse-search/lake/internal';
import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import { boundSchema, followColumns, schemaChanged } from '../documents/bound-schema.ts';
import { encodeKeys } from '../documents/encode-keys.ts';
import { writeWireValue } from '../documents/wire-value.ts';
import { sourceIdentity } from '../index/commits/source-identity.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import { tableName } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { createMapping, type Mapping } from '../schema/mapping.ts';
import { requireDefinition } from '../schema/parse/parse-definition.ts';
import { shardTable } from '../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../schema/sharding/key-buckets.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, namedSnapshot, openSource } from '../source/source-table.ts';
import {
  type PlacedRows,
  planStep,
  type StepPlan,
  sameDeletes,
  stepParts,
} from './batch/plan-batch.ts';
import { wayFrom } from './missing-snapshots.ts';
import { reasonToPass } from './reason-to-pass.ts';
import { sourceState } from './source-state.ts';

/** A part of a step for one shard; null: for every shard. */
export interface ShardPart {
  readonly shard: number | null;
  readonly part: BatchPart;
}

/** A step of the table: its batches have this head and the parts of their shard. */
export interface SourceStep {
  readonly head: Omit<ChangeBatch, 'parts'>;
  /** Reads the step once. */
  parts(): AsyncIterable<ShardPart>;
}

/** The definition of a text (YAML), without a look at its table. Throws invalid_definition. */
export const registeredDefinition = (text: string): Definition =>
  requireDefinition(text, ANALYZER_CATALOG);

/** The table of an index as a connector reads it. */
export class ShardSource {
  readonly definition: Definition;
  readonly #analyzerOf: ReturnType<typeof analyzersOf>;
  #table: SourceTable;

  private constructor(definition: Definition, table: SourceTable) {
    this.definition = definition;
    this.#analyzerOf = analyzersOf(definition.analyzers);
    this.#table = table;
  }

  /** Opens the table of a definition (YAML). Throws invalid_definition, source_not_found, … */
  static async open(text: string, baseDir: string, signal?: AbortSignal): Promise<ShardSource> {
    const definition = registeredDefinition(text);
    return new ShardSource(definition, await openSource(definition.source, baseDir, signal));
  }

  /** Number of shards of the index. */
  get shards(): number {
    return this.definition.shards ?? 1;
  }

  /** The snapshot that the index follows, as of the last look; null: the table has none. */
  get head(): string | null {
    return textOf(followedSnapshot(this.#table, this.definition.source.ref));
  }

  /** The snapshot of a name: an id, a branch or a tag. Throws not_found. */
  snapshotOf(name: string): string {
    return String(namedSnapshot(this.#table, name));
  }

  /** Looks at the newest version of the table. */
  async refresh(signal?: AbortSignal): Promise<void> {
    this.#table = await fromSource(() => this.#table.refresh(), signal);
  }

  /**
   * The snapshots that lead from a checkpoint to the head, oldest first; none if it is there.
   * Throws source_changed.
   */
  way(checkpoint: CheckpointState): readonly (string | null)[] {
    const head = followedSnapshot(this.#table, this.definition.source.ref);
    const way = wayFrom(checkpoint, this.#table, head, this.definition);
    if (way.kind === 'heal') return [textOf(head)];
    return way.steps.map(({ id }) => String(id));
  }

  /**
   * The step from a checkpoint to a snapshot. Throws schema_changed, source_invalid, and
   * source_invalid with a missing file if the snapshot has expired meanwhile.
   */
  async step(
    checkpoint: CheckpointState,
    to: string | null,
    signal?: AbortSignal,
  ): Promise<SourceStep> {
    const table = this.#table;
    const target = to === null ? null : BigInt(to);
    const { schema, mapping } = this.#binding(checkpoint, target);
    const set = await fromSource(() => table.files(target), signal);
    const plan = await fromSource(() => this.#plan(checkpoint, set), signal);
    const columns = mapping.columns.map(({ name }) => name);
    const head = {
      version: 1,
      table_uuid: sourceIdentity(table),
      from: checkpoint.snapshot_id,
      to: sourceState(table, set, schema, this.definition.source.ref),
      ...(plan.withDropped ? { with_dropped: true } : {}),
    } as const;
    const { shards } = this;
    const read = () => stepParts(plan, table, { columns, schema, signal });
    return { head, parts: () => shardParts(read(), mapping, shards) };
  }

  /** Whether an error is of a snapshot on the way, which a step to the head avoids. */
  static canPass(error: unknown): boolean {
    return reasonToPass(error) !== null;
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  /** The columns of a checkpoint as the table has them at a snapshot. Throws schema_changed. */
  #binding(checkpoint: CheckpointState, to: bigint | null) {
    const table = this.#table;
    const stored = readStoredSchema(checkpoint.schema);
    const bound = boundSchema(this.#mapping(stored), stored);
    const now = to === null ? { schema: bound } : followColumns(bound, table.schema);
    const own =
      now.lost === undefined || to === null ? now : followColumns(bound, table.schemaOf(to));
    if (own.lost === undefined) return { schema: own.schema, mapping: this.#mapping(own.schema) };
    const { index } = this.definition;
    throw schemaChanged(index, own.lost, textOf(to), checkpoint.snapshot_id);
  }

  #mapping(schema: Schema): Mapping {
    const { definition } = this;
    return createMapping(definition, schema, tableName(definition), this.#analyzerOf);
  }

  async #plan({ files, snapshot_id }: CheckpointState, set: FileSet): Promise<StepPlan> {
    const table = this.#table;
    const id = snapshot_id === null ? null : BigInt(snapshot_id);
    const isKnown = id === null || table.snapshots.some((snapshot) => snapshot.id === id);
    const former = isKnown ? scansOf(await table.files(id)) : null;
    const followed = former === null ? withoutChanged(files, scansOf(set)) : files;
    const source = {
      deadPositions: (scan: FileScan) => table.deadPositions(scan),
      positionsIn: (paths: readonly string[]) => livePositions(table, former, paths),
      dropped: 0,
    };
    const plan = await planStep(followed, set, source);
    if (this.definition.onDuplicateKey !== 'last' || plan.removed.length === 0) return plan;
    return { ...(await planStep(files.map(replaced), set, source)), withDropped: true };
  }
}

const textOf = (id: bigint | null): string | null => (id === null ? null : String(id));

const scansOf = ({ files }: FileSet): ReadonlyMap<string, FileScan> =>
  new Map(files.map((scan) => [normalizeRecorded(scan.data.path), scan]));

/** The state of a file that no file of the table is equal to. */
const replaced = (file: SourceFile): SourceFile => ({ ...file, records: -1 });

/** Of files whose deletes have changed, nothing is taken as known. */
function withoutChanged(
  files: readonly SourceFile[],
  scans: ReadonlyMap<string, FileScan>,
): readonly SourceFile[] {
  return files.map((file) => {
    const scan = scans.get(normalizeRecorded(file.path));
    return scan === undefined || sameDeletes(file, scan) ? file : replaced(file);
  });
}

/** The rows of files that were live in the former file set. */
async function livePositions(
  table: SourceTable,
  former: ReadonlyMap<string, FileScan> | null,
  paths: readonly string[],
): Promise<PlacedRows> {
  const live = new Map<string, Int32Array>();
  for (const path of paths) {
    const scan = former?.get(normalizeRecorded(path));
    if (scan !== undefined) live.set(path, await liveRows(table, scan));
  }
  return live;
}

async function liveRows(table: SourceTable, scan: FileScan): Promise<Int32Array> {
  const { recordCount } = scan.data;
  const dead = scan.deletes.length === 0 ? new Int32Array(0) : await table.deadPositions(scan);
  const live = new Int32Array(recordCount);
  let count = 0;
  for (let position = 0, at = 0; position < recordCount; position++) {
    if (dead[at] === position) at++;
    else live[count++] = position;
  }
  return live.subarray(0, count);
}

async function* shardParts(
  parts: AsyncIterable<TypedPart>,
  mapping: Mapping,
  shards: number,
): AsyncGenerator<ShardPart> {
  for await (const part of parts) {
    if (part.kind === 'removed' || shards === 1) {
      yield { shard: part.kind === 'removed' ? null : 0, part: encodePart(part, writeWireValue) };
      continue;
    }
    for (const { shard, batch } of routeRows(mapping, part.batch as Batch, shards)) {
      yield { shard, part: encodePart({ kind: 'rows', batch }, writeWireValue) };
    }
  }
}

/**
 * The rows of each shard. Rows with a NULL in their key have none: each shard gets the whole batch
 * and refuses or skips them as its definition says.
 */
export function routeRows(
  mapping: Mapping,
  batch: Batch,
  shards: number,
): readonly { readonly shard: number | null; readonly batch: Batch }[] {
  const keys = keysOf(mapping, batch);
  if (keys === null) return [{ shard: null, batch }];
  const rows = Array.from({ length: shards }, (): number[] => []);
  const { bytes, offsets } = keys;
  const table = shardTable({ ...mapping.definition, shards });
  for (let row = 0; row < batch.rows; row++) {
    rows[shardOfKey(bytes, table, offsets[row], offsets[row + 1])].push(row);
  }
  return rows.flatMap((own, shard) =>
    own.length === 0 ? [] : [{ shard, batch: selectRows(batch, Int32Array.from(own)) }],
  );
}

function keysOf(mapping: Mapping, batch: Batch) {
  try {
    return encodeKeys(mapping, batch);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'source_invalid') return null;
    throw error;
  }
}
