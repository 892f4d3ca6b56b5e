import type { ScoredBy } from '@lakehouse-search/contract';
import type { CheckedExplain, CheckedRequest } from '@lakehouse-search/contract/internal';
import type { Query } from '../../query/query.ts';
import { writeTree } from '../../query/tree/write.ts';
import { kernelShape } from '../../shard/execute/kernel-shape.ts';
import { readQuery } from '../../shard/request/bind-request.ts';
import { lexicalFields, wordsQuery } from '../../shard/request/precomputed.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { type PreparedSearch, prepareSearch } from '../find-hits.ts';
import { findHybrid, type Hybrid } from '../hybrid/find-hybrid.ts';
import { filtersOf } from '../hybrid/find-nearest.ts';
import { vectorFieldOf } from '../hybrid/query-vector.ts';
import { withDocs } from '../hybrid/search-meaning.ts';

/** A search whose parts can be judged on a document. */
export interface ExplainedSearch {
  /** Finds the hits of the search. */
  readonly prepared: PreparedSearch;
  /** The tree whose words are shown; not that of a hybrid search is judged, but its arms. */
  readonly node: Query;
  /** The filter decides before anything is near. */
  readonly byMeaning: boolean;
  readonly hybrid: Hybrid | null;
}

/**
 * The search that an explanation is about, with its near documents. Throws what searching throws.
 */
export async function prepareExplain(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedExplain,
): Promise<ExplainedSearch> {
  if (checked.mode === 'hybrid') return prepareHybrid(context, fan, checked);
  if (checked.mode === 'lexical') return prepareTree(context, fan, checked.search, false);
  const { search, nearest } = checked;
  const { vector_field, ...spec } = nearest;
  const { plan } = vectorFieldOf(queryFields(context.mapping), vector_field);
  const ast = writeTree({ kind: 'knn', field: plan.name, ...spec });
  return prepareTree(context, fan, { ...search, request: { ...search.request, ast } }, true);
}

/** What scores the words of a search in each segment; null: it has none, or their arm failed. */
export function scoredBy({ prepared, byMeaning, hybrid }: ExplainedSearch): ScoredBy | null {
  const words = byMeaning ? hybrid?.words : prepared;
  if (words == null) return null;
  const { limit } = words.bound.checked;
  return kernelShape({ ...words.bound, limit }) === null ? 'bitmaps' : 'kernel';
}

async function prepareTree(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedRequest,
  byMeaning: boolean,
): Promise<ExplainedSearch> {
  const prepared = await prepareSearch(context, fan, checked);
  return { prepared, node: readQuery(checked.request, context.mapping), byMeaning, hybrid: null };
}

async function prepareHybrid(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedExplain & { readonly mode: 'hybrid' },
): Promise<ExplainedSearch> {
  const rest = await prepareSearch(context, fan, checked.search);
  const hybrid = await findHybrid(context, fan, checked, rest, filtersOf(rest.queries));
  const texts = lexicalFields(context.mapping, checked.lexicalFields);
  return {
    prepared: withDocs(rest, hybrid.precomputed),
    node: wordsQuery(checked.text, texts),
    byMeaning: true,
    hybrid,
  };
}
