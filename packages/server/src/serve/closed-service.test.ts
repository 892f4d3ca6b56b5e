import type { AccountsApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import type { ControlPlaneAccounts } from '../control-plane/control-plane-client.ts';
import { ledCallers } from './closed-service.ts';

describe('a gateway under a control plane', () => {
  it('looks nobody up who has no credentials', async () => {
    const asked: unknown[] = [];
    const planes = {
      open: async () => undefined,
      authenticate: async (header: unknown) => {
        asked.push(header);
        return { principal: { subject: 'ann', scopes: [] }, expiresMs: null };
      },
    } as unknown as ControlPlaneAccounts;
    const { access } = await ledCallers({} as AccountsApi, planes, {});
    const arrival = { request_id: 'r', remote: '::1', transport: 'rest' } as const;
    for (const header of [undefined, '', 'Basic x', 'Bearer', `Bearer ${'x'.repeat(20_000)}`]) {
      const caller = async () => access.authenticate(header, arrival);
      await expect(caller()).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    await access.authenticate('Bearer x', arrival);
    await access.authenticate('Bearer x', arrival);
    expect(asked).toEqual(['Bearer x']);
  });
});
