/** Followers of an index over REST and gRPC, while the service runs and when it ends. */
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { FollowEvent } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { createContractTable } from '../../../test/contract/table.ts';
import { startService } from './support/service.ts';

const FOLLOWERS = 20;

describe('followers of a service', () => {
  it('read each commit beside the sync of the server, and its end as an error', async () => {
    const table = await createContractTable();
    const service = await startService({
      auth: false,
      prepare: async (backend) => {
        await backend.createIndex({ definition: table.definition('notes') });
        await backend.reindex({ index: 'notes' });
      },
      // a server that waited for followers would not end in the time of this test
      values: { sync: true, sync_poll_ms: 100, drain_ms: 600_000, threads: 1 },
    });
    const { url, grpc } = service.server;
    const clients = [url, `grpc://${grpc}`].map((at) => createRemote({ url: at }));
    const events = clients.flatMap((client) =>
      Array.from({ length: FOLLOWERS }, () => client.follow({ index: 'notes', poll_ms: 100 })),
    );
    const followers = events.map((one) => one[Symbol.asyncIterator]());
    const firsts = await Promise.all(followers.map((one) => one.next()));
    expect(firsts.map(({ value }) => (value as FollowEvent).event)).toEqual(
      firsts.map(() => 'waiting'),
    );
    const commits = followers.map(async (one) => {
      for (;;) {
        const { value } = await one.next();
        if (value.event !== 'waiting') return value as FollowEvent;
      }
    });
    await table.append('another');
    for (const commit of await Promise.all(commits)) {
      expect(commit).toMatchObject({ event: 'commit', inserted: 1 });
    }
    const ends = followers.map(async (one) => {
      for (;;) if ((await one.next()).done) return 'ended';
    });
    const settled = Promise.allSettled(ends);
    await service.stop();
    for (const end of await settled) expect(end).toMatchObject({ reason: { code: 'closed' } });
    await Promise.all(clients.map((client) => client.close()));
    table.remove();
  });

  it('sync two indexes after each got another name, one that of the other', async () => {
    const table = await createContractTable();
    const service = await startService({
      auth: false,
      prepare: async (backend) => {
        for (const index of ['now', 'next']) {
          await backend.createIndex({ definition: table.definition(index) });
          await backend.reindex({ index });
        }
      },
      values: { sync: true, sync_poll_ms: 100 },
    });
    const client = createRemote({ url: service.server.url });
    await client.renameIndex({ index: 'now', name: 'before' });
    await client.renameIndex({ index: 'next', name: 'now' });
    await table.append('d');
    await vi.waitFor(async () => {
      for (const index of ['before', 'now']) {
        expect((await client.search({ index })).total).toBe(4);
      }
    }, 60_000);
    await client.close();
    await service.stop();
    table.remove();
  });
});
