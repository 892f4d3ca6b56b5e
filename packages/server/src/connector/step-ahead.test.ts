import type { CheckpointState } from '@lakehouse-search/contract';
import type { ShardPart, SourceStep } from '@lakehouse-search/engine/internal';
import { describe, expect, test } from 'vitest';
import { sendStep } from './send-step.ts';
import { StepAhead, whenRead } from './step-ahead.ts';

const state = { sequence: '1', schema: {}, files: [] };
const checkpoint: CheckpointState = {
  ...{ ...state, snapshot_id: '1', table_uuid: 'u', applied: [], columns: ['id'], key_columns: 1 },
  index_generation: 1,
};
const { signal } = new AbortController();
const ends = { checkpoint, to: '2' };

const partOf = (i: number): ShardPart => ({
  shard: i % 2,
  part: { kind: 'removed', path: `f${i}`, positions: null },
});

/** A table whose step to 2 has `count` parts, and how many of them were read. */
function tableOf(count: number, fail?: Error) {
  const table = { read: 0, returned: false };
  const step = async (): Promise<SourceStep> => ({
    head: { version: 1, table_uuid: 'u', from: '1', to: { ...state, snapshot_id: '2' } },
    async *parts() {
      try {
        for (; table.read < count; ) yield partOf(table.read++);
        if (fail !== undefined) throw fail;
      } finally {
        table.returned = true;
      }
    },
  });
  return { table, source: { step } };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const pathsOf = async (step: SourceStep) =>
  Array.fromAsync(step.parts(), ({ part }) => (part.kind === 'removed' ? part.path : ''));

describe('a step that is read ahead', () => {
  test('has the parts of the step, and is read no further than its queue has room', async () => {
    const { table, source } = tableOf(100);
    const ahead = new StepAhead(source, ends, signal);
    await settled();
    expect(table.read).toBeGreaterThan(1);
    expect(table.read).toBeLessThan(10);
    const step = await ahead.step();
    expect(step.head).toEqual((await source.step()).head);
    expect(await pathsOf(step)).toEqual(Array.from({ length: 100 }, (_, i) => `f${i}`));
    expect(table.returned).toBe(true);
  });

  test('ends the reading when it is dropped, or read in part', async () => {
    const dropped = tableOf(100);
    const ahead = new StepAhead(dropped.source, ends, signal);
    await settled();
    await ahead.drop();
    expect(dropped.table).toMatchObject({ returned: true });
    const left = tableOf(100);
    const step = await new StepAhead(left.source, ends, signal).step();
    for await (const _ of step.parts()) break;
    await settled();
    expect(left.table).toMatchObject({ returned: true });
  });

  test('fails as reading the table does', async () => {
    const { source } = tableOf(2, new Error('the file is gone'));
    const step = await new StepAhead(source, ends, signal).step();
    await expect(pathsOf(step)).rejects.toThrow('the file is gone');
    const missing = { step: () => Promise.reject(new Error('expired')) };
    const ahead = new StepAhead(missing, ends, signal);
    await settled();
    await expect(ahead.step()).rejects.toThrow('expired');
    await ahead.drop();
  });

  test.each([
    [true, ends],
    [true, { ...ends, checkpoint: { ...checkpoint, sequence: '9' } }],
    [false, { ...ends, to: '3' }],
    [false, { ...ends, checkpoint: { ...checkpoint, snapshot_id: '0' } }],
    [false, { ...ends, checkpoint: { ...checkpoint, index_generation: 2 } }],
  ])('is one (%s) between the same states only', async (expected, asked) => {
    const ahead = new StepAhead(tableOf(1).source, ends, signal);
    expect(ahead.isFor(asked)).toBe(expected);
    await ahead.drop();
  });
});

describe('the reading of the next step', () => {
  test('begins once all parts of a step are read, before nodes have applied it', async () => {
    const { source } = tableOf(3);
    const { promise, resolve } = Promise.withResolvers<void>();
    let reached: string | null = null;
    const step = whenRead(await source.step(), ({ snapshot_id }) => {
      reached = snapshot_id;
    });
    const seen: string[] = [];
    const sending = sendStep(step, [
      {
        ordinals: [0, 1],
        apply: async ({ parts }) => {
          for await (const part of parts) if (part.kind === 'removed') seen.push(part.path);
          await promise;
        },
      },
    ]);
    await settled();
    expect(reached).toBe('2');
    resolve();
    await sending;
    expect(seen).toEqual(['f0', 'f1', 'f2']);
  });
});
