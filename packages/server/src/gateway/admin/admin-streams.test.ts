import type { CallContext } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';
import { streamsOf } from './admin-streams.ts';

/** A cluster whose index `notes` no node has built. */
const unbuilt = {
  seen: [],
  names: () => ['notes'],
  aliases: () => new Map(),
  refresh: async () => {},
} as unknown as AdminRouting;

describe('an export over nodes', () => {
  it('is refused if no node has built the index', async () => {
    const nodes = new AdminNodes(unbuilt, () => {
      throw new Error('no node is called');
    });
    const items = streamsOf(nodes).exportDocuments({ index: 'notes' }, {} as CallContext);
    const first = items[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ code: 'index_not_built' });
  });
});
