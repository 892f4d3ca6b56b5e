import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { NodeWatch } from './node-watch.ts';

const never = new Promise<never>(() => {});
const SILENCE_MS = 30;

describe('the watch of a node that is read', () => {
  it('ends the reads of a node that answers no probe, with one probe for all', async () => {
    const probe = vi.fn(() => never);
    const watch = new NodeWatch(probe, SILENCE_MS);
    const ends: AbortSignal[] = [];
    const read = (signal: AbortSignal) => {
      ends.push(signal);
      return never;
    };
    const reads = [1, 2].map(() => watch.whileAlive('n1:1', undefined, read));
    for (const one of reads) {
      await expect(one).rejects.toMatchObject({
        code: 'unreachable',
        message: 'node n1:1 answers no read or probe within 30 ms',
      });
    }
    expect(probe).toHaveBeenCalledTimes(1);
    expect(ends.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('waits for a node that works, and probes it again', async () => {
    const answer = Promise.withResolvers<string>();
    const probe = vi.fn(async () => {});
    const watch = new NodeWatch(probe, SILENCE_MS);
    const read = watch.whileAlive('n1:1', undefined, () => answer.promise);
    await vi.waitUntil(() => probe.mock.calls.length > 3);
    answer.resolve('hits');
    expect(await read).toBe('hits');
  });

  it('takes a refused probe for silence, and an error of the node for an answer', async () => {
    const refused = new LhsError('unreachable', 'connect ECONNREFUSED');
    const watch = new NodeWatch(() => Promise.reject(refused), SILENCE_MS);
    await expect(watch.whileAlive('n1:1', undefined, () => never)).rejects.toBe(refused);
    const answer = Promise.withResolvers<string>();
    const probe = vi.fn(() => Promise.reject(new LhsError('permission_denied', 'no')));
    const read = new NodeWatch(probe, SILENCE_MS).whileAlive('n1:1', undefined, async () => {
      await vi.waitUntil(() => probe.mock.calls.length > 1);
      return answer.promise;
    });
    answer.resolve('hits');
    expect(await read).toBe('hits');
  });

  it('passes on what the read throws, and the end of the call', async () => {
    const watch = new NodeWatch(() => never, SILENCE_MS);
    const call = new AbortController();
    const read = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new LhsError('interrupted', 'ended')));
        call.abort();
      });
    await expect(watch.whileAlive('n1:1', call.signal, read)).rejects.toMatchObject({
      code: 'interrupted',
    });
  });
});
