/** The search that an explanation is about, bound, with the documents that are near found. */

import type { CheckedExplain, CheckedRequest } from '@lakehouse-search/contract';
import type { QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { writeTree } from '../../query/tree/write.ts';
import type { SearchContext } from '../context.ts';
import { findHybrid } from '../hybrid/find-hybrid.ts';
import { lexicalFields, wordsQuery } from '../hybrid/lexical-arm.ts';
import { vectorFieldOf } from '../hybrid/query-vector.ts';
import { givenClause } from '../hybrid/search-meaning.ts';
import {
  planSearch,
  queryFields,
  readFilter,
  readQuery,
  type SearchPlan,
} from '../request/plan.ts';
import { givenOf } from '../search.ts';
import { type HybridVerdict, judgeHybrid } from './explain-hybrid.ts';
import type { Subject } from './subject.ts';

/** A search whose parts can be judged on a document. */
export interface AskedSearch {
  readonly plan: SearchPlan;
  /** What is judged, and read for words; of a hybrid search only the latter. */
  readonly node: Query;
  readonly fields: QueryFields;
  readonly filterNode: Query | null;
  readonly filterFields: QueryFields;
  /** The filter decides before anything is near. */
  readonly byMeaning: boolean;
  readonly hybrid: { judge(subject: Subject): HybridVerdict } | null;
}

/** Throws what searching throws. */
export async function askedSearch(
  context: SearchContext,
  checked: CheckedExplain,
): Promise<AskedSearch> {
  if (checked.mode === 'hybrid') return askedHybrid(context, checked);
  if (checked.mode === 'lexical') return askedTree(context, checked.search, false);
  const { search, nearest } = checked;
  const { vector_field, ...spec } = nearest;
  const { plan } = vectorFieldOf(queryFields(context.mapping), vector_field);
  const ast = writeTree({ kind: 'knn', field: plan.name, ...spec });
  return askedTree(context, { ...search, request: { ...search.request, ast } }, true);
}

async function askedTree(
  context: SearchContext,
  checked: CheckedRequest,
  byMeaning: boolean,
): Promise<AskedSearch> {
  const { mapping } = context;
  const { request } = checked;
  const given = await givenOf(context, request);
  return {
    plan: planSearch(checked, mapping, given),
    node: readQuery(request, mapping),
    fields: queryFields(mapping, given.query),
    filterNode: readFilter(request, mapping),
    filterFields: queryFields(mapping, given.filter),
    byMeaning,
    hybrid: null,
  };
}

async function askedHybrid(
  context: SearchContext,
  checked: CheckedExplain & { readonly mode: 'hybrid' },
): Promise<AskedSearch> {
  const { mapping } = context;
  const asked = await askedTree(context, checked.search, true);
  const found = await findHybrid(context, checked, asked.plan.filter, asked.fields);
  const texts = lexicalFields(mapping, asked.fields, checked.lexicalFields);
  return {
    ...asked,
    plan: { ...asked.plan, clause: givenClause(found.given) },
    node: wordsQuery(checked.text, texts),
    hybrid: { judge: (subject) => judgeHybrid(found, checked, subject) },
  };
}
