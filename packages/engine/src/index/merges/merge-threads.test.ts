import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blockOf, plans, type Row } from '../../../../../test/support/writer-pair.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { IndexWriter } from '../index-writer.ts';
import { inlineRunner } from './merge-runners.ts';
import { MergeThread } from './merge-threads.ts';

const row = (i: number): [string, Row] => [`k${i}`, { n: BigInt(i), file: 0, position: i }];
const { signal } = new AbortController();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-merge-threads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Three segments of ten documents, and two plans of the same merge of them. */
function planned() {
  const directory = openLocalDirectory(folder);
  const writer = IndexWriter.open(directory, plans);
  for (let from = 0; from < 30; from += 10) {
    writer.add(blockOf(Array.from({ length: 10 }, (_, i) => row(from + i))));
    writer.flush();
  }
  const [first] = writer.merges.forced();
  writer.merges.drop(first);
  const [second] = writer.merges.forced();
  return { directory, writer, jobs: [first.job, second.job] as const };
}

describe('a thread of merges', () => {
  test('runs one after another, as this thread does', async () => {
    const { directory, writer, jobs } = planned();
    const thread = new MergeThread();
    for (const job of jobs) {
      const made = await thread.run(job, signal);
      for (const { file } of made.entry.components) directory.remove(file);
      expect(made).toEqual(await inlineRunner(directory)(job, signal));
    }
    expect(thread.isAlive).toBe(true);
    await thread.end();
    writer.close();
  });

  test('runs the next one after one that fails', async () => {
    const { writer, jobs } = planned();
    const thread = new MergeThread();
    const broken = { ...jobs[0], path: join(folder, 'nowhere') };
    await expect(thread.run(broken, signal)).rejects.toMatchObject({ name: 'LhsError' });
    expect((await thread.run(jobs[1], signal)).entry.docs).toBe(30);
    await thread.end();
    writer.close();
  });

  test('ends with a merge that is stopped', async () => {
    const { writer, jobs } = planned();
    const thread = new MergeThread();
    const stop = new AbortController();
    const running = thread.run(jobs[0], stop.signal);
    stop.abort();
    await expect(running).rejects.toThrow('its thread ended');
    expect(thread.isAlive).toBe(false);
    writer.close();
  });
});
