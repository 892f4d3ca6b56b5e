import type {
  AlterPlan,
  IndexStatus,
  ShardDescription,
  SyncResponse,
  VerifyResponse,
  WindowDescription,
} from '@lakehouse-search/contract';
import type { ResponseOf } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { type MergedName, mergeAnswers } from './merge-answers.ts';
import { mergeActions } from './merge-erasure.ts';
import { mergeAlterPlan } from './merge-indexes.ts';
import { largest, members, sum } from './merge-members.ts';

/** Answers of nodes that hold one shard each, by turns. */
const merged = <K extends MergedName>(
  name: K,
  ...answers: readonly ResponseOf<K>[]
): ResponseOf<K> =>
  mergeAnswers(
    name,
    answers.map((answer, i) => ({ answer, ordinals: [i] })),
  );

const shard = (ordinal: number, num_docs: number): ShardDescription => ({
  ...{ shard: ordinal, num_docs, deleted_docs: 1, segments: 2, bytes: 10 * num_docs },
  ...{ index_generation: 1, snapshot: '7' },
});

const status = (snapshots: number, shards: readonly ShardDescription[]): IndexStatus => {
  const num_docs = shards.reduce((total, one) => total + one.num_docs, 0);
  const generation = {
    generation: 1,
    state: 'live',
    definition_version: 1,
    snapshot: '7',
  } as const;
  return {
    ...{ index: 'notes', status: 'live', index_generation: 1, num_docs, deleted_docs: 1 },
    ...{ segments: 2, bytes: 10 * num_docs, shards, pending_merges: 1 },
    generations: [{ ...generation, num_docs, bytes: 10 }],
    checkpoint: { snapshot: String(9 - snapshots), committed_at: 'then' },
    lag: { snapshots, rows: null, seconds: 1 },
  };
};

const verified = (missing: number, more: Partial<VerifyResponse> = {}): VerifyResponse => ({
  ...{ equal: missing === 0, snapshot: '7', index_generation: 1, rows_compared: 10, doc_count: 10 },
  ...{ missing, extra: 0, stale: 0, keys: { missing: [], extra: [], stale: [] } },
  ...{ digest: { index: 'a', table: 'a' }, buckets: 1024, buckets_drifted: missing, faults: [] },
  took_ms: 5,
  ...more,
});

describe('the merge of plain objects', () => {
  it('does not compile without a merge for each member', () => {
    interface Counts {
      readonly rows: number;
      readonly took_ms?: number;
    }
    // @ts-expect-error: no merge names `took_ms`
    members<Counts>({ rows: sum });
    const merge = members<Counts>({ rows: sum, took_ms: largest });
    expect(merge([{ rows: 1 }, { rows: 2, took_ms: 3 }, { rows: 4, took_ms: 1 }])).toEqual({
      rows: 7,
      took_ms: 3,
    });
    expect(Object.keys(merge([{ rows: 1 }, { rows: 2 }]))).toEqual(['rows']);
  });
});

describe('the answers of nodes about an index', () => {
  it('count what verify repaired on all nodes', () => {
    const repaired = { added: 1, replaced: 2, deleted: 3 };
    expect(merged('verify', verified(1, { repaired }), verified(2, { repaired }))).toMatchObject({
      ...{ equal: false, rows_compared: 20, missing: 3, buckets: 1024, buckets_drifted: 3 },
      repaired: { added: 2, replaced: 4, deleted: 6 },
    });
  });

  it('report the drift of a copy of a shard, and count its rows once', () => {
    const parts = [verified(0), verified(2)].map((answer) => ({ answer, ordinals: [0] }));
    expect(mergeAnswers('verify', parts)).toMatchObject({
      ...{ equal: false, rows_compared: 10, doc_count: 10, missing: 2 },
    });
  });

  it('count what a sync healed on all nodes, and name all generations that fell behind', () => {
    const sync = (more: Partial<SyncResponse>): SyncResponse => ({
      ...{ doc_count: 5, snapshot: '7', index_generation: 1, snapshots_applied: 2 },
      ...{ inserted: 1, updated: 2, deleted: 3, skipped_replace: 1, took_ms: 9 },
      ...more,
    });
    const healed = { reason: 'rolled_back', inserted: 1, updated: 2, deleted: 3 } as const;
    const behind = { generation: 3, code: 'io_error', message: 'no' } as const;
    const embeddings = { reused: 1, computed: 2 };
    const first = sync({ healed, embeddings, without_vector: { vec: 1 } });
    const second = sync({ healed, embeddings, fallen_behind: [behind] });
    expect(merged('sync', first, second)).toEqual({
      ...sync({ doc_count: 10, inserted: 2, updated: 4, deleted: 6 }),
      healed: { reason: 'rolled_back', inserted: 2, updated: 4, deleted: 6 },
      embeddings: { reused: 2, computed: 4 },
      without_vector: { vec: 1 },
      fallen_behind: [behind],
    });
  });

  it('have the checkpoint of the node that is furthest behind, and each shard once', () => {
    const parts = [
      { answer: status(0, [shard(0, 3), shard(1, 9)]), ordinals: [0, 1] },
      { answer: status(2, [shard(2, 4), shard(1, 9)]), ordinals: [2] },
      { answer: status(0, [shard(1, 9)]), ordinals: [1] },
    ];
    expect(mergeAnswers('status', parts)).toMatchObject({
      ...{ num_docs: 16, bytes: 160, segments: 6, deleted_docs: 3, lag: { snapshots: 2 } },
      checkpoint: { snapshot: '7' },
      shards: [shard(0, 3), shard(1, 9), shard(2, 4)],
    });
  });

  it('count what a drop removed, once for all parts of a job or a point in time', () => {
    const drop = { index: 'notes', saved_queries: 0, jobs: 2, generations: 2, bytes: 5 };
    const first = { ...drop, aliases: ['a'], points_in_time: 1 };
    const second = { ...drop, aliases: ['a', 'b'], points_in_time: 1 };
    expect(merged('dropIndex', first, second)).toEqual({
      ...{ ...drop, bytes: 10, aliases: ['a', 'b'], points_in_time: 1 },
    });
  });

  it('have each window once, cold if a node has moved files of it', () => {
    const part = (name: string, num_docs: number, tier: 'hot' | 'cold'): WindowDescription => ({
      ...{ window: name, from: name === 'none' ? null : `${name}-01`, to: null, num_docs, tier },
      ...{ deleted_docs: 0, segments: 1, bytes: 10 },
      ...(tier === 'cold' ? { local_bytes: 2 } : {}),
    });
    const cache = { hits: 1, misses: 0, bytes_read: 5, bytes: 0, limit_bytes: 8 };
    const own = { index: 'notes', field: 'at', every: 'month', cache } as const;
    const first = { ...own, windows: [part('2026-02', 2, 'hot'), part('none', 1, 'hot')] };
    const second = { ...own, windows: [part('2026-01', 4, 'hot'), part('2026-02', 3, 'cold')] };
    const both = { ...part('2026-02', 5, 'cold'), segments: 2, bytes: 20, local_bytes: 12 };
    expect(merged('windowStatus', first, second)).toEqual({
      ...own,
      windows: [part('2026-01', 4, 'hot'), both, part('none', 1, 'hot')],
      cache: { hits: 2, misses: 0, bytes_read: 10, bytes: 0, limit_bytes: 16 },
    });
  });

  it('upgrade from the oldest format of any node', () => {
    const own = { segments: 1, segments_upgraded: 1, bytes_rewritten: 3, bytes_before: 4 };
    const upgrade = (format_before: number) => ({
      ...{ ...own, format_before, format_after: 2, took_ms: 1 },
    });
    expect(merged('upgrade', upgrade(2), upgrade(1))).toMatchObject({ format_before: 1 });
  });

  it('change definitions by the costliest strategy of any node', () => {
    const plan: AlterPlan = {
      ...{ index: 'notes', is_noop: true, requires_reindex: false, reindex_reasons: [] },
      ...{ in_place_changes: [], field_changes: [], changes: [], applied: true },
      ...{ reindex_triggered: false, generation: 1 },
      strategy: 'none',
    };
    const other: AlterPlan = { ...plan, is_noop: false, strategy: 'reindex' };
    expect(mergeAlterPlan([plan, other])).toEqual({ ...other, generation: 1 });
  });
});

describe('the actions of several erasures', () => {
  it('are added up, the optional ones too', () => {
    const actions = {
      ...{ points_in_time_closed: 1, segments_rewritten: 2, generations_removed: 0 },
      ...{ cache_entries_removed: 0, saved_queries_removed: 0, history_lines_removed: 0 },
      ...{ job_records_removed: 0, backups_made: 1, backups_removed: 1 },
    };
    expect(mergeActions([actions, { ...actions, cold_objects_removed: 3 }])).toMatchObject({
      ...{ points_in_time_closed: 2, segments_rewritten: 4, cold_objects_removed: 3 },
    });
  });
});
