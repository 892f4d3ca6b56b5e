import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../../cluster/node-client.ts';
import { watchOver } from '../../cluster/node-watch.ts';
import { joinPits, splitPit } from '../cluster-pits.ts';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';
import { pitOperations } from './admin-pits.ts';

const OWN = ['n1:9001', 'n2:9001'];

type Work = (address: string, name: string, request: object) => Promise<unknown>;

/** Points in time over nodes that hold the index `notes`. `sent`: where calls went. */
function pitsOver(work: Work, holders = OWN, shards = OWN.map((_, ordinal) => [ordinal])) {
  const sent: string[] = [];
  const seen = holders.map((address, i) => {
    const index = { index: 'notes', shards: 2, ordinals: shards[i], aliases: [], commits: [] };
    return { address, up: true, state: { node: address, indexes: [index] } };
  });
  const routing = {
    seen,
    names: () => ['notes'],
    aliases: () => new Map(),
    refresh: async () => {},
    isDown: () => false,
    failed: () => {},
  } as unknown as AdminRouting;
  const call = (address: string, name: string) => async (request: object) => {
    sent.push(`${name} ${address}`);
    return work(address, name, request);
  };
  const node = (address: string) =>
    ({
      state: () => new Promise(() => {}),
      service: () => ({ openPit: call(address, 'open'), closePit: call(address, 'close') }),
    }) as unknown as NodeClient;
  const pits = pitOperations(new AdminNodes(routing, node, watchOver(node, 20)));
  return { sent, open: pits.openPit, close: pits.closePit };
}

describe('a point in time over nodes', () => {
  it('is closed on nodes of the index alone, whatever its id names', async () => {
    const { sent, close } = pitsOver(async () => ({ closed: true }));
    const pit_id = joinPits(
      new Map([
        ['n2:9001', 'p2'],
        ['elsewhere.example:443', 'p3'],
      ]),
    );
    expect(await close({ index: 'notes', pit_id })).toEqual({ closed: true });
    expect(sent).toEqual(['close n2:9001']);
  });

  it('is not found if its id names no node of the index', async () => {
    const { sent, close } = pitsOver(async () => ({ closed: true }));
    const pit_id = joinPits(new Map([['elsewhere.example:443', 'p3']]));
    await expect(close({ index: 'notes', pit_id })).rejects.toMatchObject({ code: 'not_found' });
    expect(sent).toEqual([]);
  });

  it('is not waited for if a node answers nothing', async () => {
    const { open } = pitsOver(() => new Promise(() => {}));
    await expect(open({ index: 'notes' })).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('pins nothing if one of the nodes cannot open it', async () => {
    const { sent, open } = pitsOver(async (address) => {
      if (address === OWN[1]) throw new LhsError('unreachable', 'connect ECONNREFUSED');
      return { pit_id: 'p1', snapshot: '7' };
    });
    await expect(open({ index: 'notes' })).rejects.toMatchObject({ code: 'unreachable' });
    expect(sent).toEqual(['open n1:9001', 'open n2:9001', 'close n1:9001']);
  });

  it('pins nothing if the nodes are at different snapshots', async () => {
    const open = new Set<string>();
    const { open: opening } = pitsOver(async (address, name) => {
      if (name === 'open') open.add(address);
      else open.delete(address);
      return { pit_id: 'p', snapshot: address };
    });
    await expect(opening({ index: 'notes' })).rejects.toMatchObject({ code: 'index_busy' });
    expect(open.size).toBe(0);
  });

  it('pins nothing of an index that no node has built', async () => {
    const { sent, open } = pitsOver(async () => ({}), []);
    await expect(open({ index: 'notes' })).rejects.toMatchObject({ code: 'index_not_built' });
    expect(sent).toEqual([]);
  });

  it('has the id of each node', async () => {
    const { open } = pitsOver(async (address) => ({ pit_id: `p ${address}`, snapshot: '7' }));
    const { pit_id } = await open({ index: 'notes' });
    expect(splitPit(pit_id as string)).toEqual(new Map(OWN.map((at) => [at, `p ${at}`])));
  });

  it('is on the nodes of one snapshot where all have all shards', async () => {
    const holders = [...OWN, 'n3:9001', 'n4:9001'];
    const opening: Work = async (address) => {
      if (address === 'n1:9001') throw new LhsError('unreachable', 'connect ECONNREFUSED');
      return { pit_id: `p ${address}`, snapshot: address === 'n2:9001' ? '8' : '7' };
    };
    const all = holders.map(() => [0, 1]);
    const { sent, open } = pitsOver(opening, holders, all);
    const { pit_id, snapshot } = await open({ index: 'notes' });
    expect(snapshot).toBe('7');
    expect([...splitPit(pit_id as string).keys()]).toEqual(['n3:9001', 'n4:9001']);
    expect(sent).toContain('close n2:9001');
  });
});
