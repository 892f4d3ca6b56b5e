/**
 * Terms of one field in a shard. Steps: resolve the field (a field with terms, or a path of a
 * variant), fold the text as the field's analyzer folds words, walk the dictionaries of all
 * segments (prefix-terms.ts, near-terms.ts).
 */

import { LhsError } from '@lakehouse-search/contract';
import type { CheckedSuggest } from '@lakehouse-search/contract/internal';
import type { Deadline } from '../../base/time/deadline.ts';
import type { Leaf } from '../../query/bind/clause.ts';
import {
  changeHint,
  type FieldTarget,
  findField,
  unknownFieldHint,
} from '../../query/bind/fields.ts';
import { bindPathPattern, bindPattern, type PatternNode } from '../../query/bind/patterns.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { originalsPrefix } from '../../schema/values/folded-keyword.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { FilterCache } from '../execute/filter-cache.ts';
import { queryFields } from '../request/query-fields.ts';
import { tenantFilter } from '../request/tenant-filter.ts';
import type { ShardSuggest } from '../shard.ts';
import { type FieldTerms, fieldTerms, liveCount, tenantTerms } from './field-terms.ts';
import { offerNear } from './near-terms.ts';
import { offerPrefix } from './prefix-terms.ts';
import { type RankedTerm, SuggestionList } from './suggestion-list.ts';

/** Texts of up to so many characters get one edit, longer ones two. */
const SHORT_TEXT = 5;

/** How long suggesting may take, and the cache of the tenant's documents. */
export interface SuggestWork {
  readonly deadline: Deadline;
  readonly filters: FilterCache | null;
}

/**
 * The first terms by distance, live documents and bytes; of a tenant, only terms of its documents.
 * Throws invalid_argument (unknown field, field without terms), limit_exceeded.
 */
export function suggestTerms(
  segments: readonly SegmentReader[],
  mapping: Mapping,
  { request, limit, terms, folded, pattern, maxTerms, tenant }: ShardSuggest,
  { deadline, filters }: SuggestWork,
): readonly RankedTerm[] {
  const termsOf = (field: number): readonly FieldTerms[] => {
    const all = fieldTerms(segments, field);
    if (tenant === undefined) return all;
    return tenantTerms(all, { tenantFilter: tenantFilter(mapping, tenant), filters }, deadline);
  };
  if (folded !== undefined) {
    const plan = queryFields(mapping).plans.get(request.field)?.folded;
    const own = plan === undefined ? [] : termsOf(plan.originals);
    return folded.flatMap((value) => originals(own, value, limit, deadline));
  }
  const target = termsTarget(request.field, mapping, pattern !== undefined);
  const own = termsOf(target.plan.id);
  if (terms !== undefined) return terms.map((term) => counted(own, term));
  const termCount = own.reduce((sum, { reader }) => sum + reader.termCount, 0);
  if (maxTerms !== undefined && termCount > maxTerms) return [];
  const list = new SuggestionList(limit);
  const clause = patternOf(request, target, pattern);
  if (clause.kind === 'prefix') offerPrefix(own, clause.prefix, list, deadline);
  else if (clause.kind === 'pattern') offerNear(own, clause.automaton, list, deadline);
  return list.terms;
}

function originals(
  segments: readonly FieldTerms[],
  folded: string,
  limit: number,
  deadline: Deadline,
): readonly RankedTerm[] {
  const list = new SuggestionList(limit);
  offerPrefix(segments, Buffer.from(originalsPrefix(folded)), list, deadline);
  return list.terms;
}

function counted(segments: readonly FieldTerms[], term: Uint8Array): RankedTerm {
  let count = 0;
  for (const segment of segments) {
    const info = segment.reader.lookup(term);
    if (info !== null) count += liveCount(segment, info);
  }
  return { term, distance: 0, count };
}

/**
 * Where the terms of a field are; with a pattern of our own, also those of a hidden field. Throws
 * invalid_argument where it has none.
 */
export function termsTarget(name: string, mapping: Mapping, withHidden = false): FieldTarget {
  const fields = queryFields(mapping);
  const hidden = withHidden && name.includes('#') ? fields.plans.get(name) : undefined;
  if (hidden !== undefined) return { kind: 'field', plan: hidden };
  const target = findField(fields, name);
  if (target === undefined) {
    const message = `"field" names "${name}", which is not in index "${fields.index}"`;
    throw new LhsError('invalid_argument', message, unknownFieldHint(fields, name));
  }
  const flat = target.plan.type === 'TEXT' ? undefined : fields.declared?.get(target.plan.id);
  if (flat !== undefined) return { kind: 'path', ...flat };
  if (target.plan.inverted !== null) return target;
  const { type } = target.plan;
  if (type === 'TEXT' || type === 'KEYWORD') {
    const hint = changeHint(`set "indexed: true" on "${name}"`, fields.index);
    throw new LhsError('invalid_argument', `"${name}" is not indexed: it has no terms`, { hint });
  }
  const hint = 'suggestions come from TEXT and KEYWORD fields and from paths of variants';
  throw new LhsError('invalid_argument', `"${name}" is ${type}: it has no terms`, { hint });
}

/** The clause that finds the terms: folded as the analyzer folds, never stemmed or split. */
function patternOf(
  request: CheckedSuggest,
  target: FieldTarget,
  pattern: string | undefined,
): Leaf {
  const { field, text, fuzzy = false } = request;
  const short = Array.from(text).length <= SHORT_TEXT;
  const edits = request.max_edits ?? (short ? 1 : 2);
  const near: PatternNode = fuzzy
    ? { kind: 'fuzzy', field, value: text, edits }
    : { kind: 'prefix', field, value: text };
  const node: PatternNode = pattern === undefined ? near : { kind: 'regex', field, value: pattern };
  const clause =
    target.kind === 'path'
      ? bindPathPattern(target.plan, node, target.path, 1, null)
      : bindPattern(target.plan, node, 1, null);
  return clause as Leaf;
}
