import type { CallContext } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../../cluster/node-client.ts';
import { aliasOperations } from './admin-names.ts';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';

const heldBy = (address: string, index: string) => ({
  address,
  up: true,
  state: { node: address, indexes: [{ index, shards: 1, ordinals: [0], aliases: [] }] },
});
const routing = {
  seen: [heldBy('n1:1', 'own'), heldBy('n2:1', 'other')],
  names: () => ['other', 'own'],
  aliases: () => new Map([['latest', 'other']]),
  refresh: async () => {},
} as unknown as AdminRouting;

describe('an alias over nodes', () => {
  it('is not taken from an index that is not among those of the caller', async () => {
    const sent: string[] = [];
    const setAlias = async (request: object) => void sent.push(JSON.stringify(request));
    const node = () => ({ service: () => ({ setAlias }) }) as unknown as NodeClient;
    const operations = aliasOperations(new AdminNodes(routing, node));
    const principal = { subject: 'ann', scopes: ['admin'], indexes: ['own'] };
    const call = { principal } as unknown as CallContext;
    const taken = operations.setAlias!({ alias: 'latest', index: 'own' }, call);
    await expect(taken).rejects.toMatchObject({ code: 'permission_denied' });
    expect(sent).toEqual([]);
  });
});
