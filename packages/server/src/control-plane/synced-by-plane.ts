import { type Backend, type CallContext, LhsError, syncStep } from '@lakehouse-search/contract';
import { withOwn } from '../config/with-own.ts';

const SYNCED_BY = { synced_by: 'control_plane' } as const;

type Method = (request?: object, call?: CallContext) => unknown;

/**
 * A backend whose indexes a control plane alone syncs: what describes an index says so, and errors
 * name the status of an index instead of its sync.
 */
export function syncedByPlane(backend: Backend): Backend {
  const own: Partial<Backend> = {
    describeIndex: async (...args) => ({ ...(await backend.describeIndex(...args)), ...SYNCED_BY }),
    status: async (...args) => ({ ...(await backend.status(...args)), ...SYNCED_BY }),
  };
  return new Proxy(withOwn(backend, own), {
    get(target, key) {
      const value: unknown = target[key as keyof Backend];
      if (typeof value !== 'function') return value;
      return (...args: Parameters<Method>) => {
        const answer = (value as Method)(...args);
        return answer instanceof Promise ? answer.catch(rethrow) : answer;
      };
    },
  });
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
