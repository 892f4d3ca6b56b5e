import {
  type CallContext,
  type IndexDefinition,
  type IndexDescription,
  type IndexRequest,
  type IndexSummary,
  LhsError,
  type ListRequest,
} from '@lakehouse-search/contract';
import { checkIndexRequest, checkListRequest, isListed } from '@lakehouse-search/contract/internal';
import { currentGeneration } from '../../open/index-folder.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { describeGenerations, mergeFailure } from './generations.ts';
import { publishedState } from './published.ts';

/** The current state of an index. Throws index_not_found, corrupt_index, io_error. */
export async function describeLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexDescription> {
  const { index } = checkIndexRequest(request);
  const known = accessible(indexes, index, call);
  if (call.principal?.tenant !== undefined) return describeTenant(indexes, known, call);
  const generations = describeGenerations(indexes, known);
  const described = indexes.describe(known);
  const whole = generations.length === 0 ? described : { ...described, generations };
  return { ...whole, ...publishedState(indexes, known), ...mergeFailure(indexes, known) };
}

/** The definition of an index as it is registered. Throws index_not_found. */
export async function definitionLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexDefinition> {
  const { index } = checkIndexRequest(request);
  const { registered } = accessible(indexes, index, call);
  return { index: registered.name, definition: registered.definition };
}

/** An index as the callers of a tenant see it: what is not counted from their rows is left out. */
async function describeTenant(
  indexes: LocalIndexes,
  known: KnownIndex,
  call: CallContext,
): Promise<IndexDescription> {
  const built = currentGeneration(known.folder) !== null;
  const num_docs = built ? await tenantDocuments(indexes, known.registered.name, call) : 0;
  const {
    deleted_docs,
    segments,
    bytes,
    shards,
    windows,
    checkpoint,
    read_restrictions,
    source,
    vector_fields,
    ...own
  } = indexes.describe(known);
  const vectors = vector_fields.map(({ documents, bytes: size, ...field }) => field);
  return { ...own, num_docs, vector_fields: vectors };
}

async function tenantDocuments(
  indexes: LocalIndexes,
  index: string,
  call: CallContext,
): Promise<number> {
  const { readIndex } = await import('./reads.ts');
  const { countDocuments } = await import('../../search/find-hits.ts');
  return readIndex(indexes, { index }, call, countDocuments);
}

/** The caller's indexes by name; one that cannot be opened has an `error`. */
export function listLocal(
  indexes: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly IndexSummary[] {
  checkListRequest(request);
  const listed = indexes.registry.list().filter(({ name }) => isListed(call, name));
  return listed.map(({ name }) => {
    try {
      const known = indexes.describe(indexes.known(name));
      const { status, description, num_docs, bytes = 0, snapshot } = known;
      const words = description === undefined ? {} : { description };
      return { name, ...words, status, num_docs, bytes, snapshot };
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      const nothing = { num_docs: 0, bytes: 0, snapshot: null };
      return { name, status: 'live', ...nothing, error: error.message };
    }
  });
}
