/** A catalog that restricts what a cluster reads of its table, differently after a while. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { RestCatalog } from '../../../../test/support/rest-catalog.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';

const above = (value: number) => ({
  'required-row-filter': {
    type: 'gt',
    left: { type: 'reference', id: 1 },
    right: { type: 'literal', value },
  },
});

describe('a cluster whose catalog changes its read restrictions', () => {
  let cluster: ReshardCluster;
  let catalog: RestCatalog;

  beforeEach(async () => {
    cluster = new ReshardCluster({ key: CLUSTER_KEY, shards: 3 });
    await cluster.start();
    catalog = new RestCatalog(join(cluster.table.catalog.warehouse, 'ops', 'notes'));
    catalog.restrictions = above(99);
    const uri = await catalog.listen();
    const source = `{ catalog: { type: rest, uri: "${uri}" }, table: ops.notes }`;
    const definition = cluster.table
      .definition(2)
      .replace(INDEX, 'seen')
      .replace(/source: .*/, `source: ${source}`);
    await cluster.store.definitions.add('seen', definition);
    await cluster.client.reindex({ index: 'seen' });
  });
  afterEach(async () => {
    await cluster.stop();
    await catalog.close();
  });

  const search = () => cluster.client.search({ index: 'seen', query: '*:*', limit: 300 });

  it('builds the index anew in one job, and shows no row that is hidden meanwhile', async () => {
    expect((await search()).total).toBe(100);
    const release = await cluster.holdJobs('seen');
    catalog.restrictions = above(149);
    await vi.waitFor(
      () => expect(search()).rejects.toMatchObject({ code: 'source_changed' }),
      WAIT,
    );
    await vi.waitFor(async () => {
      const { sync_failure } = await cluster.client.status({ index: 'seen' });
      expect(sync_failure).toMatchObject({ code: 'source_changed' });
    }, WAIT);
    await release();
    await vi.waitFor(async () => {
      const found = await search();
      expect([found.total, found.partial]).toEqual([50, undefined]);
    }, WAIT);
    await vi.waitFor(async () => {
      const { sync_failure } = await cluster.client.status({ index: 'seen' });
      expect(sync_failure).toBeUndefined();
    }, WAIT);
    const jobs = await cluster.client.listJobs({ index: 'seen', state: 'done' });
    expect(jobs.map(({ kind }) => kind)).toEqual(['reindex', 'reindex']);
  });
});
