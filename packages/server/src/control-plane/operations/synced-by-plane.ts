import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { type BackendApi, syncStep } from '@lakehouse-search/contract/internal';
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
      return answer instanceof Promise ? answer.catch(rethrow) : answer;
    };
    return [name, own] as readonly unknown[];
  });
  return Object.fromEntries(methods) as BackendApi;
}

function rethrow(error: unknown): never {
  if (!(error instanceof LhsError) || !error.next.some(({ step }) => step === 'sync')) throw error;
  const { code, message, hint, place, details, cause } = error;
  const next = error.next.map((own) =>
    own.step === 'sync' ? syncStep(own.index, SYNCED_BY.synced_by) : own,
  );
  const placed = place === undefined ? {} : { place };
  throw new LhsError(code, message, { ...placed, hint, next, details, cause });
}
