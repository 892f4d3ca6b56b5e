import type { BackendApi } from '@lakehouse-search/contract/internal';
import { withOwn } from '../config/with-own.ts';
import type { Epochs } from './epochs.ts';
import type { NodeAccess } from './node-access.ts';

/**
 * A backend whose change batches end, with `fenced`, when a newer lease writes their index. The
 * parts of a batch come from its connector: one that was stopped in the middle would hold the
 * index, and no other connector could go on. Batches are admitted before.
 */
export function fencedBatches(backend: BackendApi, epochs: Epochs, access: NodeAccess): BackendApi {
  const applyBatch: BackendApi['applyBatch'] = async (request, call = {}) => {
    const epoch = access.epochOf(call.principal);
    if (epoch === undefined) return backend.applyBatch(request, call);
    const end = epochs.endOf(request?.index ?? '', epoch);
    const signal = call.signal === undefined ? end : AbortSignal.any([call.signal, end]);
    try {
      return await backend.applyBatch(request, { ...call, signal });
    } catch (error) {
      throw end.aborted ? end.reason : error;
    }
  };
  return withOwn(backend, { applyBatch });
}
