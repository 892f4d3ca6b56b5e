import { afterEach, describe, expect, it, vi } from 'vitest';
import { LoopFaults } from './loop-faults.ts';

afterEach(() => vi.useRealTimers());

describe('the failures of a loop that moves between control planes', () => {
  it('end when the first one does the work again', async () => {
    vi.useFakeTimers();
    const stored = new Map<string, string>();
    const store = {
      faults: {
        async set({ work, message }: { work: string; message: string }) {
          stored.set(work, message);
        },
        async clear(_: string, work: string) {
          stored.delete(work);
        },
      },
    };
    const faults = { failed() {}, succeeded() {} };
    const [first, second] = [0, 1].map(() => new LoopFaults({ store, faults }));
    const loop = { work: 'sync', index: 'notes' };
    await first.succeeded(loop);
    await second.failed(loop, new Error('no table'));
    expect(stored.size).toBe(1);
    vi.advanceTimersByTime(60_000);
    await first.succeeded(loop);
    expect(stored.size).toBe(0);
  });
});
