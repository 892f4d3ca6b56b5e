import { describe, expect, it } from 'vitest';
import { mergeAnswers } from './merge-answers.ts';

const merged = (...answers: readonly Record<string, unknown>[]) =>
  mergeAnswers(answers.map((answer, i) => ({ answer, ordinals: [i] })));

describe('the answers of nodes about an index', () => {
  it('have the sums of counts, and the snapshots that all nodes have applied', () => {
    const first = { bytes_after: 3, applied: ['4', '3', '2'], snapshot_id: '5' };
    const second = { bytes_after: 4, applied: ['4', '2'], snapshot_id: '5' };
    expect(merged(first, second)).toEqual({
      bytes_after: 7,
      applied: ['4', '2'],
      snapshot_id: '5',
    });
    expect(merged({ applied: true }, { applied: false })).toEqual({ applied: false });
  });

  it('have the sums of counts by name', () => {
    const first = { embeddings: { reused: 1, computed: 2 }, without_vector: { vec: 1 } };
    const second = { embeddings: { reused: 3, computed: 4 }, without_vector: { other: 2 } };
    expect(merged(first, second, { untyped_values: { meta: 5 } })).toEqual({
      embeddings: { reused: 4, computed: 6 },
      without_vector: { vec: 1, other: 2 },
      untyped_values: { meta: 5 },
    });
  });

  it('have generations as a whole, and the checkpoint of the node that is furthest behind', () => {
    const status = (snapshots: number, num_docs: number) => ({
      lag: { snapshots },
      checkpoint: { snapshot: String(9 - snapshots) },
      generations: [{ generation: 1, state: 'live', num_docs, bytes: 10 }],
      num_docs,
    });
    expect(merged(status(0, 3), status(2, 4))).toEqual({
      lag: { snapshots: 2 },
      checkpoint: { snapshot: '7' },
      generations: [{ generation: 1, state: 'live', num_docs: 7, bytes: 20 }],
      num_docs: 7,
    });
  });

  it('have the number of generations that a drop removed', () => {
    const dropped = { index: 'notes', generations: 2 };
    expect(merged(dropped, dropped)).toEqual(dropped);
  });

  it('have each window once, cold if a node has moved files of it', () => {
    const window = (name: string, num_docs: number, tier: string) => {
      return { window: name, from: name === 'none' ? null : `${name}-01`, num_docs, tier };
    };
    const windows = [window('2026-02', 2, 'hot'), window('none', 1, 'hot')];
    const others = [window('2026-01', 4, 'hot'), window('2026-02', 3, 'cold')];
    const cache = { hits: 1, bytes_read: 5 };
    expect(merged({ windows, cache }, { windows: others, cache })).toEqual({
      windows: [
        window('2026-01', 4, 'hot'),
        window('2026-02', 5, 'cold'),
        window('none', 1, 'hot'),
      ],
      cache: { hits: 2, bytes_read: 10 },
    });
  });
});
