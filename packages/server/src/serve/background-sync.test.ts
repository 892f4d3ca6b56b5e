import type { FollowEvent, IndexStatus } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { BackgroundSync, withSyncFailures } from './background-sync.ts';

const at = '2026-01-01T00:00:00Z';
const RETRY = { event: 'retry', at, code: 'source_unreachable', message: 'away', in_ms: 1 };

describe('a background sync that fails again and again', () => {
  it('is logged rarely, counted, and shown by the status until it works', async () => {
    const go = Promise.withResolvers<void>();
    const backend = {
      listIndexes: async () => [{ name: 'notes', status: 'live' }],
      listAliases: async () => [],
      status: async () => ({ index: 'notes' }) as IndexStatus,
      async *follow(_: object, { signal }: { signal: AbortSignal }) {
        for (let i = 0; i < 100; i++) yield RETRY as FollowEvent;
        await go.promise;
        yield { event: 'waiting', at } as unknown as FollowEvent;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    } as unknown as BackendApi;
    const log = { warn: vi.fn(), info: vi.fn() };
    const count = vi.fn();
    const faults = new RepeatedFaults(log as never, count);
    const sync = new BackgroundSync({
      ...{ backend, logger: pino({ level: 'silent' }), faults },
      metrics: { synced: () => {}, failing: () => {} },
      ...{ enabled: true, pollMs: 1 },
    });
    await sync.start();
    const status = () => withSyncFailures(backend, faults).status({});
    await expect.poll(() => count.mock.calls.length).toBe(100);
    expect(log.warn.mock.calls).toHaveLength(7);
    const failure = { code: 'source_unreachable', message: 'sync: away' };
    expect((await status()).sync_failure).toMatchObject(failure);
    go.resolve();
    await expect.poll(async () => (await status()).sync_failure).toBeUndefined();
    await sync.stop();
  });
});
