import { LhsError } from '@lakehouse-search/contract';
import type { AccountsApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it, vi } from 'vitest';
import type { ControlPlaneAccounts } from '../control-plane/control-plane-client.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { accountsOpener, ledCallers } from './closed-service.ts';

const logger = { warn: vi.fn(), info: vi.fn() };
const noted = vi.fn();
const CREATE = 'creation of the first admin';
const START = {
  ...{ env: { LHS_ADMIN_PASSWORD: 'correct-horse' }, later: () => {} },
  faults: new RepeatedFaults(logger as never, noted),
};

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
    const { access } = await ledCallers({} as AccountsApi, planes, START);
    const arrival = { request_id: 'r', remote: '::1', transport: 'rest' } as const;
    for (const header of [undefined, '', 'Basic x', 'Bearer', `Bearer ${'x'.repeat(20_000)}`]) {
      const caller = async () => access.authenticate(header, arrival);
      await expect(caller()).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    await access.authenticate('Bearer x', arrival);
    await access.authenticate('Bearer x', arrival);
    expect(asked).toEqual(['Bearer x']);
  });

  it('needs the store of accounts until there is one', async () => {
    const away = new LhsError('unreachable', 'cannot reach PostgreSQL');
    const list = vi.fn(async () => ['ann']).mockRejectedValueOnce(away);
    const open = accountsOpener({ users: { list } } as never);
    await expect(open('correct-horse')).rejects.toBe(away);
    await open('correct-horse');
    list.mockRejectedValue(away);
    expect(await open('correct-horse')).toBeUndefined();
  });

  it('makes the first admin when the control plane answers', async () => {
    const away = new LhsError('unreachable', 'connect ECONNREFUSED');
    const open = vi.fn(async (_: string | undefined): Promise<undefined> => undefined);
    open.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const planes = { open } as unknown as ControlPlaneAccounts;
    const { lateAdmin } = await ledCallers({} as AccountsApi, planes, START);
    expect(() => lateAdmin?.requireMade()).toThrow('connect ECONNREFUSED');
    await lateAdmin?.password;
    lateAdmin?.requireMade();
    expect(open.mock.calls).toEqual([['correct-horse'], ['correct-horse'], ['correct-horse']]);
    expect(noted.mock.calls.map(([work]) => work)).toEqual([CREATE, CREATE]);
    expect(logger.warn.mock.calls[0]).toEqual([{ err: away }, `${CREATE} failed`]);
    expect(logger.info).toHaveBeenCalledWith({ failures: 2 }, `${CREATE} works again`);
  });
});
