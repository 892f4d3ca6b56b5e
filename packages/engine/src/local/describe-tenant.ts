import type {
  IndexDescription,
  IndexRequest,
  VectorFieldDescription,
} from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract';
import { currentGeneration } from '../open/index-folder.ts';
import { execute } from '../search/execute/execute.ts';
import { requireTenants } from '../search/tenant.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';

/** Counts of the whole index, and where its table is: nothing of that is a tenant's. */
type Whole = 'deleted_docs' | 'segments' | 'bytes' | 'checkpoint' | 'source' | 'vector_fields';

/** What an index is to the callers of a tenant: `num_docs` are the tenant's own. */
export type TenantIndexDescription = Omit<IndexDescription, Whole> & {
  readonly vector_fields: readonly Omit<VectorFieldDescription, 'documents' | 'bytes'>[];
};

/** Describes an index to the callers of a tenant. Throws permission_denied, index_not_found. */
export async function describeTenant(
  indexes: LocalIndexes,
  request: IndexRequest,
  tenant: string,
): Promise<TenantIndexDescription> {
  const { index } = checkIndexRequest(request);
  const known = indexes.resolve(index);
  requireTenants(known.definition);
  const built = currentGeneration(known.folder) !== null;
  const num_docs = built ? await ownDocuments(indexes, known.registered.name, tenant) : 0;
  const { deleted_docs, segments, bytes, checkpoint, source, vector_fields, ...own } =
    indexes.describe(known);
  const vectors = vector_fields.map(({ documents, bytes: size, ...field }) => field);
  return { ...own, num_docs, vector_fields: vectors };
}

function ownDocuments(indexes: LocalIndexes, index: string, tenant: string): Promise<number> {
  return readIndex(indexes, { index, tenant }, async ({ snapshot, guard, filters }) => {
    const all = { kind: 'all', boost: 1 } as const;
    return execute(snapshot, { clause: all, filter: null, guard, filters, order: [], limit: 0 })
      .total;
  });
}
