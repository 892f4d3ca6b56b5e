import type { CallContext } from '@lakehouse-search/contract';
import { type BackendApi, withoutSync } from '@lakehouse-search/contract/internal';
import { operationsOf } from '../../config/operations-of.ts';

const SYNCED_BY = { synced_by: 'control_plane' } as const;

type Method = (request?: object, call?: CallContext) => unknown;

/**
 * A backend whose indexes a control plane alone syncs: what describes an index says so, and errors
 * name the status of an index instead of its sync.
 */
export function syncedByPlane(backend: BackendApi): BackendApi {
  const operations: BackendApi = {
    ...operationsOf(backend),
    describeIndex: async (...args) => ({ ...(await backend.describeIndex(...args)), ...SYNCED_BY }),
    status: async (...args) => ({ ...(await backend.status(...args)), ...SYNCED_BY }),
    close: () => backend.close(),
  };
  const methods = Object.entries({ ...operations }).map(([name, run]) => {
    const own: Method = (request, call) => {
      const answer = (run as Method)(request, call);
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => {
        throw withoutSync(error, SYNCED_BY.synced_by);
      });
    };
    return [name, own] as readonly unknown[];
  });
  return Object.fromEntries(methods) as BackendApi;
}
