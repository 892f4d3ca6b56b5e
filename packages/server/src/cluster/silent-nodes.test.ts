import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { SilentNodes } from './silent-nodes.ts';

const fault = new LhsError('unreachable', 'it did not answer');

describe('a node that failed a call', () => {
  it('is silent until it answers a probe', async () => {
    const answer = Promise.withResolvers<void>();
    const probes: string[] = [];
    const probe = (address: string) => {
      probes.push(address);
      return probes.length < 3 ? Promise.reject(fault) : answer.promise;
    };
    const noted = { failed: vi.fn(), succeeded: vi.fn() };
    const silent = new SilentNodes(probe, 1, noted);
    expect(silent.faultOf('n1:1')).toBeUndefined();
    silent.failed('n1:1', fault);
    silent.failed('n1:1', fault);
    await vi.waitUntil(() => probes.length === 3);
    expect([silent.faultOf('n1:1'), silent.faultOf('n2:1')]).toEqual([fault, undefined]);
    answer.resolve();
    await vi.waitUntil(() => silent.faultOf('n1:1') === undefined);
    expect(probes).toEqual(['n1:1', 'n1:1', 'n1:1']);
    const of = ['read of a node', { node: 'n1:1' }];
    await vi.waitFor(() => expect(noted.succeeded).toHaveBeenCalledExactlyOnceWith(...of));
    expect(noted.failed).toHaveBeenCalledWith(of[0], fault, of[1]);
    silent.close();
  });

  it('is probed no more after the end', async () => {
    const probe = vi.fn(() => Promise.reject(fault));
    const silent = new SilentNodes(probe, 1);
    silent.failed('n1:1', fault);
    await vi.waitUntil(() => probe.mock.calls.length > 0);
    silent.close();
    await vi.waitUntil(() => silent.faultOf('n1:1') === undefined);
  });
});
