/**
 * A rehearsal of a new definition: a sample of the table is indexed twice, under the definition in
 * force and under the new one, in a temporary folder that goes away; the same searches run over
 * both. The index itself is not touched.
 */
import type { CallContext, Rehearsal, RehearsedIndex } from '@lakehouse-search/contract';
import type { CheckedRehearsed } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { Deadline } from '../base/time/deadline.ts';
import type { Embedder, OpenEmbedder } from '../embed/embedder.ts';
import type { Mapping } from '../schema/mapping.ts';
import { type SearchContext, UNKNOWN_LAG } from '../search/context.ts';
import { rowsOfTable } from '../search/fetch/table-rows.ts';
import { localShards } from '../shard/local-shard.ts';
import { buildScratch, type ScratchIndex } from '../sync/build/scratch-index.ts';
import { type Replay, replay } from './replay.ts';
import { sampleOf } from './sample-table.ts';

/** A definition over its table, at the snapshot that it follows. */
export interface RehearsedDefinition {
  readonly mapping: Mapping;
  readonly table: SourceTable;
  readonly snapshotId: bigint | null;
  readonly baseDir: string;
}

/** What to rehearse. */
export interface RehearsalRequest extends CallContext {
  readonly from: RehearsedDefinition;
  readonly to: RehearsedDefinition;
  readonly queries: readonly CheckedRehearsed[];
  /** Rows of the sample, about. */
  readonly sample: number;
  readonly openEmbedder: OpenEmbedder;
  /** Opens a model for searches. */
  readonly openModel: (model: string, baseDir: string, checksum?: string) => Promise<Embedder>;
}

/** A definition with its sample. */
interface Built extends ScratchIndex {
  readonly definition: RehearsedDefinition;
}

/** Rehearses. Throws source_invalid, model_unavailable, invalid_query, interrupted, io_error. */
export async function rehearse(
  request: RehearsalRequest,
): Promise<Omit<Rehearsal, 'index' | 'took_ms'>> {
  const open: Built[] = [];
  try {
    const from = await build(request, request.from);
    open.push(from);
    const to = await build(request, request.to);
    open.push(to);
    const contexts = { from: () => context(request, from), to: () => context(request, to) };
    return summary(from, to, await replay(request.queries, contexts));
  } finally {
    for (const built of open) built.close();
  }
}

async function build(
  { sample, openEmbedder, signal, progress }: RehearsalRequest,
  definition: RehearsedDefinition,
): Promise<Built> {
  const { snapshotId } = definition;
  const table = await sampleOf(definition.table, snapshotId, sample);
  const built = await buildScratch({ ...definition, table, openEmbedder, signal, progress });
  return { ...built, definition };
}

function context(
  { openModel, signal }: RehearsalRequest,
  { definition, snapshot }: Built,
): SearchContext {
  const { mapping, table, baseDir } = definition;
  return {
    mapping,
    snapshot,
    shards: localShards(snapshot, mapping),
    tenant: undefined,
    deadline: Deadline.of({ signal }),
    openModel: (model, checksum) => openModel(model, baseDir, checksum),
    readRows: rowsOfTable(async () => table, mapping, undefined),
    lag: async () => UNKNOWN_LAG,
    hasReached: async () => false,
  };
}

function summary(from: Built, to: Built, { queries, times }: Replay) {
  const judged = queries.flatMap(({ ndcg }) => (ndcg === undefined ? [] : [ndcg]));
  return {
    rows: from.snapshot.liveDocs,
    from: figures(from, times.from),
    to: figures(to, times.to),
    queries,
    overlap: mean(queries.map(({ overlap }) => overlap)),
    ndcg:
      judged.length === 0
        ? null
        : {
            from: mean(judged.map((one) => one.from)) ?? 0,
            to: mean(judged.map((one) => one.to)) ?? 0,
          },
  };
}

function figures({ snapshot, buildMs }: Built, times: readonly number[]): RehearsedIndex {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted.length === 0 ? null : Math.round(sorted[sorted.length >> 1]);
  return { bytes: snapshot.bytes, build_ms: buildMs, search_us: median };
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
