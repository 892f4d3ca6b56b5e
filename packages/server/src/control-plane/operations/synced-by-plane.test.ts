import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { syncedByPlane } from './synced-by-plane.ts';

const failing = (error: LhsError) => async () => {
  throw error;
};

describe('a backend that a control plane syncs', () => {
  const place = { text: 'a', from: 0, to: 1 };
  const behind = new LhsError('snapshot_not_reached', 'not yet', {
    ...{ hint: 'wait', place, details: { snapshot: '1' }, cause: 'why' },
    next: [
      { step: 'sync', index: 'notes' },
      { step: 'reindex', index: 'notes' },
    ],
  });
  const other = new LhsError('index_not_found', 'no', { next: [{ step: 'list_indexes' }] });
  const backend = syncedByPlane({
    search: failing(behind),
    facets: failing(other),
    getKeys: async () => ({ rows: [] }),
    status: async () => ({ index: 'notes' }),
    describeIndex: async () => ({ index: 'notes' }),
  } as unknown as BackendApi);

  it('names the status instead of the sync, and changes nothing else of an error', async () => {
    const { code, message, hint, details, cause } = behind;
    await expect(backend.search({})).rejects.toMatchObject({
      ...{ code, message, hint, place, details, cause },
      next: [
        { step: 'show_status', index: 'notes' },
        { step: 'reindex', index: 'notes' },
      ],
    });
    await expect(backend.facets({ fields: [] })).rejects.toBe(other);
  });

  it('says in descriptions who syncs', async () => {
    const described = { index: 'notes', synced_by: 'control_plane' };
    expect(await backend.status({})).toEqual(described);
    expect(await backend.describeIndex({})).toEqual(described);
    expect(await backend.getKeys({ keys: [] })).toEqual({ rows: [] });
  });
});
