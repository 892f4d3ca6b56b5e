import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { AdapterCall } from './adapter-call.ts';
import { openPits } from './open-pits.ts';

const key = { partition: [], identifier: ['id'] };

describe('points in time of several indexes', () => {
  it('are closed if one of them cannot be opened', async () => {
    const open = new Set<string>();
    const reads = {
      describeIndex: async ({ index }: { index: string }) => {
        return { index, fields: [], variants: [], key, default_fields: [] };
      },
      openPit: async ({ index }: { index: string }) => {
        if (index === 'c') throw new LhsError('index_not_built', 'it is not built');
        open.add(index);
        return { pit_id: `pit of ${index}` };
      },
      closePit: async ({ index, pit_id }: { index: string; pit_id: string }) => {
        if (pit_id === `pit of ${index}`) open.delete(index);
        return { closed: true };
      },
    };
    const call = { path: {}, reads: () => reads, begin: async () => () => {} };
    const opened = openPits(call as unknown as AdapterCall, ['a', 'b', 'c'], '1m');
    await expect(opened).rejects.toMatchObject({ code: 'index_not_built' });
    expect([...open]).toEqual([]);
  });
});
