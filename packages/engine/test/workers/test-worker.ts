/**
 * A search thread of tests: a request says what the thread does. It remembers the open commits.
 */
import { getEnvironmentData, parentPort, threadId, workerData } from 'node:worker_threads';
import {
  type FromThread,
  fromBytes,
  type ThreadSettings,
  type ToThread,
  toBytes,
} from '../../src/workers/messages.ts';

/** What a request asks of the thread. */
export interface TestRequest {
  readonly what: 'answer' | 'answer and signal' | 'wait for cancel' | 'hang' | 'exit';
}

/** What the thread answers. */
export interface TestAnswer {
  readonly thread: number;
  readonly opened: readonly number[];
}

const { canceled } = workerData as ThreadSettings;
const opened = new Set<number>();

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'open') opened.add(message.source.id);
  if (message.kind === 'close') opened.delete(message.commit);
  if (message.kind !== 'call') return;
  const { task, work } = message;
  if (work.kind !== 'shard') return;
  const { what } = fromBytes(work.request) as TestRequest;
  if (what === 'exit') process.exit(1);
  while (what === 'hang');
  while (what === 'wait for cancel' && Atomics.load(canceled, 0) !== 1);
  const answer: TestAnswer = { thread: threadId, opened: [...opened] };
  const done: FromThread = { kind: 'done', task, answer: toBytes(answer) };
  parentPort?.postMessage(done);
  if (what !== 'answer and signal') return;
  const signal = getEnvironmentData('answered') as Int32Array;
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
