import type { CallContext, IndexDescription, IndexRequest } from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract';
import { currentGeneration } from '../open/index-folder.ts';
import { execute } from '../search/execute/execute.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';

/** Describes an index to the callers of a tenant. Throws permission_denied, index_not_found. */
export async function describeTenant(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexDescription> {
  const { index } = checkIndexRequest(request);
  const known = accessible(indexes, index, call);
  const built = currentGeneration(known.folder) !== null;
  const num_docs = built ? await ownDocuments(indexes, known.registered.name, call) : 0;
  const { deleted_docs, segments, bytes, shards, checkpoint, source, vector_fields, ...own } =
    indexes.describe(known);
  const vectors = vector_fields.map(({ documents, bytes: size, ...field }) => field);
  return { ...own, num_docs, vector_fields: vectors };
}

function ownDocuments(indexes: LocalIndexes, index: string, call: CallContext): Promise<number> {
  return readIndex(indexes, { index, call }, async ({ snapshot, guard, filters }) => {
    const all = { kind: 'all', boost: 1 } as const;
    return execute(snapshot, { clause: all, filter: null, guard, filters, order: [], limit: 0 })
      .total;
  });
}
