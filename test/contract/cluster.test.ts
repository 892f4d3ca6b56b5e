// @module-tag campaign
// @module-tag slow
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { startCluster } from '../support/cluster.ts';
import { byEffort } from '../support/effort.ts';
import { contractSuite } from './contract-suite.ts';

/** A backend whose indexes have three shards, whatever definitions say. */
function inThreeShards(backend: BackendApi): BackendApi {
  const sharded = (text: unknown) =>
    typeof text === 'string' && text.includes('fields:')
      ? `${text}sharding: { shards: 3 }\n`
      : text;
  const own: Partial<Record<keyof BackendApi, string>> = {
    createIndex: 'definition',
    alterIndex: 'definition_yaml',
    rehearseAlter: 'definition_yaml',
  };
  return new Proxy(backend, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      const field = own[name as keyof BackendApi];
      if (field === undefined) return method;
      return (request: Record<string, unknown>, call: unknown) =>
        typeof request === 'object' && request !== null && field in request
          ? method({ ...request, [field]: sharded(request[field]) }, call)
          : method(request, call);
    },
  });
}

/** With one shard, each index is on one node, which does every operation. */
if (byEffort(false, true)) {
  contractSuite('a gateway over three nodes', async () => (await startCluster(3)).backend);
}

/**
 * An index that has been compacted has a segment on each node. Without a control plane, nothing
 * gives shards to other nodes. A part of an index has no home of its own to move.
 */
const OTHERWISE = ['compact', 'moveIndex', 'planReshard', 'applyReshard', 'moveBucket'] as const;

contractSuite(
  'indexes over three nodes',
  async () => inThreeShards((await startCluster(3)).backend),
  OTHERWISE,
);
