// @module-tag campaign
/** The interface against a gateway, a control plane and two nodes, each a process. */
import { deleteRows } from '@lakehouse-search/lake';
import { byEffort } from '../../../../test/support/effort.ts';
import { startTicketCluster } from '../support/ticket-cluster.ts';
import { type ConformanceTarget, conformanceSuite, SECTIONS } from './conformance-suite.ts';
import { LIFECYCLE_ROWS } from './lifecycle-rows.ts';
import { startOne } from './one-process.ts';
import type { Row, Section } from './row.ts';
import { SEARCH_ROWS } from './search-rows.ts';

const start = async (): Promise<ConformanceTarget> => {
  const cluster = await startTicketCluster();
  await deleteRows(cluster.source, "id = '59'");
  const roles = ['reader', 'operator'];
  const everything = [...roles, 'admin'];
  return {
    url: cluster.gateway.url,
    grpc: cluster.gateway.grpc,
    shards: 2,
    headers: {
      reader: await cluster.token({ roles: ['reader'] }),
      both: await cluster.token({ roles }),
      admin: await cluster.token({ roles: everything }),
      scoped: await cluster.token({ roles: everything, indexes: ['other'] }),
      tenant: await cluster.token({ roles, tenant: 'closed' }),
    },
    stop: () => cluster.stop(),
  };
};

const isOfWrites = ({ led }: Row) => led !== undefined;
const BRIEF: readonly Section[] = [
  { ...LIFECYCLE_ROWS, rows: LIFECYCLE_ROWS.rows.filter(isOfWrites) },
  SEARCH_ROWS,
];

conformanceSuite('a gateway, a control plane and two nodes', start, {
  isLed: true,
  like: () => startOne(2),
  sections: byEffort(BRIEF, SECTIONS),
});
