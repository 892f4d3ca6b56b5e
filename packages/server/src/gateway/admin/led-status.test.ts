import { type IndexStatus, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { ledStatus } from './led-status.ts';

const away = new LhsError('unreachable', 'cannot reach PostgreSQL at db:5432');
const statusOf = (status: Partial<IndexStatus>) => async () => status as IndexStatus;
const failing = (error: LhsError) => async () => {
  throw error;
};

describe('the status while no control plane answers', () => {
  it('says why, from the first failure to the next answer', async () => {
    let byPlane: () => Promise<IndexStatus> = failing(away);
    const status = ledStatus(() => byPlane(), statusOf({ num_docs: 3 }));
    const { code, message } = away;
    const first = await status({});
    expect(first).toMatchObject({ num_docs: 3, sync_failure: { code, message } });
    expect(await status({})).toEqual(first);
    byPlane = statusOf({ num_docs: 4 });
    expect(await status({})).toEqual({ num_docs: 4 });
  });

  it('throws other errors of the control plane', async () => {
    const error = new LhsError('index_not_found', 'of a test');
    await expect(ledStatus(failing(error), statusOf({}))({})).rejects.toBe(error);
  });
});
