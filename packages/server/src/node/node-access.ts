import type { Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { Access } from '../access/access.ts';
import { readNodeCall } from '../cluster/cluster-token.ts';
import type { Epochs } from './epochs.ts';

/** Operations that change an index: they are fenced by epochs. */
export const WRITES: ReadonlySet<string> = new Set<Operation>([
  'applyBatch',
  'sync',
  'follow',
  'reindex',
  'startJob',
  'compact',
  'upgrade',
  'alterIndex',
  'rollbackIndex',
  'applyReshard',
  'moveBucket',
  'reindexWindow',
  'moveWindows',
]);

/** The cluster itself, as the caller of a write under a lease. */
const CLUSTER = { subject: 'cluster', scopes: ['search', 'index_read', 'ops', 'admin'] } as const;

/**
 * Who may call a node: processes that have the key of the cluster. They have checked the scopes of
 * their callers; indexes and tenants of callers are checked by the engine.
 */
export function nodeAccess(key: string | undefined, epochs: Epochs): Access {
  const held = new WeakMap<Principal, number>();
  return Object.freeze({
    authenticate: (authorization: string | undefined): Principal | undefined => {
      const { principal, epoch } = readNodeCall(key, authorization);
      if (epoch === undefined) return principal;
      const own = { ...(principal ?? CLUSTER) };
      held.set(own, epoch);
      return own;
    },
    authorize: (principal: Principal | undefined, operation: Operation, index?: string): void => {
      if (!WRITES.has(operation)) return;
      epochs.admit(index ?? '', principal === undefined ? undefined : held.get(principal));
    },
  });
}
