import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { arena, blockOf, plans, type Row } from '../../../../../test/support/writer-pair.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { IndexWriter } from '../index-writer.ts';
import type { MergeRunner } from './background-merges.ts';
import { inlineRunner, sharedRunner } from './merge-runners.ts';

const row = (i: number): [string, Row] => [`k${i}`, { n: BigInt(i), file: 0, position: i }];
const signal = new AbortController().signal;

/** A text field over the values of the field `tag`. */
const words: FieldPlan = {
  ...{ id: 3, name: 'tag', type: 'TEXT', column: null, stored: false },
  inverted: { kind: 'text', analyzer: simpleAnalyzer },
};

/** Three segments of ten documents, of which one is deleted, and a merge of them. */
function planned(fields: readonly FieldPlan[] = plans) {
  const directory = new MemoryDirectory(arena);
  const writer = IndexWriter.open(directory, fields);
  for (let from = 0; from < 30; from += 10) {
    writer.add(blockOf(Array.from({ length: 10 }, (_, i) => row(from + i))));
    writer.flush();
  }
  writer.deleteDocs('s000002', [4]);
  const [plan] = writer.merges.forced();
  return { directory, writer, plan };
}

describe('a merge that is divided among threads', () => {
  test.each([2, 3, 9])('into %i makes the segment that one makes', async (threads) => {
    const { directory, writer, plan } = planned();
    const whole = await inlineRunner(directory)(plan.job, signal);
    for (const { file } of whole.entry.components) directory.remove(file);
    const jobs: unknown[] = [];
    const counted: MergeRunner = (job, ...rest) => {
      jobs.push(job.share);
      return inlineRunner(directory)(job, ...rest);
    };
    const shared = await sharedRunner(counted, threads)(plan.job, signal);
    expect(shared).toEqual(whole);
    expect(jobs.length).toBeGreaterThan(1);
    expect(jobs.length).toBeLessThanOrEqual(threads);
    expect(writer.merges.install(plan, shared)).toBe(true);
    expect(writer.liveDocs).toBe(29);
    writer.close();
  });

  test.each([2, 3])('by the terms of a text field makes the same, with %i', async (threads) => {
    const { directory, writer, plan } = planned([...plans, words]);
    const whole = await inlineRunner(directory)(plan.job, signal);
    for (const { file } of whole.entry.components) directory.remove(file);
    let running = 0;
    let most = 0;
    const parts: unknown[] = [];
    const counted: MergeRunner = async (job, ...rest) => {
      most = Math.max(most, ++running);
      if (job.share?.part !== undefined) parts.push(job.share.part);
      await new Promise((resolve) => setImmediate(resolve));
      const merged = await inlineRunner(directory)(job, ...rest);
      running--;
      return merged;
    };
    const shared = await sharedRunner(counted, threads, { dividedBytes: 0 })(plan.job, signal);
    expect(shared).toEqual(whole);
    expect(parts.length).toBeGreaterThanOrEqual(threads);
    expect(most).toBe(threads);
    expect(writer.merges.install(plan, shared)).toBe(true);
    writer.close();
  });

  test('stops all of its threads if one fails', async () => {
    const { plan, writer } = planned();
    let stopped = 0;
    const runner: MergeRunner = (job, own) => {
      if (job.share?.rows === true) return Promise.reject(new Error('a thread failed'));
      return new Promise((_, reject) => {
        own.addEventListener('abort', () => {
          stopped++;
          reject(new Error('stopped'));
        });
      });
    };
    await expect(sharedRunner(runner, 3)(plan.job, signal)).rejects.toThrow('a thread failed');
    expect(stopped).toBeGreaterThan(0);
    writer.merges.drop(plan);
    writer.close();
  });
});
