import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { rememberedRouting } from './control-plane-service.ts';

describe('the routing of a control plane whose database is away', () => {
  it('is the last one, unless the caller may know a newer one', async () => {
    const away = new LhsError('unreachable', 'cannot reach PostgreSQL');
    let isAway = false;
    const list = async () => {
      if (isAway) throw away;
      return [];
    };
    const table = { list } as never;
    const routing = rememberedRouting({ definitions: table, aliases: table, routes: table });
    const last = await routing('');
    isAway = true;
    expect(await routing('')).toBe(last);
    expect(await routing(last.version)).toBe(last);
    await expect(routing('of another control plane')).rejects.toBe(away);
  });
});
