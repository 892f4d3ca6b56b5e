/**
 * Suggestions from the term dictionary. Steps: check, resolve the field (a field with terms, or a
 * path of a variant), fold the text as the field's analyzer folds words, walk the dictionaries of
 * all segments (prefix-terms.ts, near-terms.ts).
 */
import type { CheckedSuggest, SuggestResponse } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { Deadline } from '../../base/deadline.ts';
import { changeHint } from '../../query/bind/change-hint.ts';
import type { Leaf } from '../../query/bind/clause.ts';
import { type FieldTarget, findField, unknownFieldHint } from '../../query/bind/fields.ts';
import { bindPathPattern, bindPattern, type PatternNode } from '../../query/bind/patterns.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { pathPrefix } from '../../schema/variant-terms.ts';
import { type SearchContext, UNKNOWN_LAG } from '../context.ts';
import { queryFields } from '../request/plan.ts';
import { fieldTerms } from './field-terms.ts';
import { offerNear } from './near-terms.ts';
import { offerPrefix } from './prefix-terms.ts';
import { SuggestionList } from './suggestion-list.ts';

const DEFAULT_LIMIT = 10;
/** Texts of up to so many characters get one edit, longer ones two. */
const SHORT_TEXT = 5;

/**
 * Terms of a field near to what was typed, with the number of live documents that hold each.
 * Throws invalid_argument (unknown field, field without terms), limit_exceeded.
 */
export async function suggestTerms(
  context: SearchContext,
  request: CheckedSuggest,
): Promise<SuggestResponse> {
  const started = performance.now();
  const { mapping, snapshot, deadline = new Deadline() } = context;
  const target = termsTarget(request.field, mapping);
  const list = new SuggestionList(request.limit || DEFAULT_LIMIT);
  const clause = patternOf(request, target);
  const segments = fieldTerms(snapshot.segments, target.plan.id);
  if (clause.kind === 'prefix') offerPrefix(segments, clause.prefix, list, deadline);
  else if (clause.kind === 'pattern') offerNear(segments, clause.automaton, list, deadline);
  const head = target.kind === 'path' ? Buffer.byteLength(pathPrefix(target.path)) : 0;
  const suggestions = list.terms.map(({ term, distance, count }) => ({
    text: Buffer.from(term.subarray(head)).toString(),
    doc_count: count,
    distance,
  }));
  const took = performance.now() - started;
  return {
    suggestions,
    snapshot: snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: snapshot.generation,
    took_ms: Math.round(took * 1000) / 1000,
    ...((await context.lag?.()) ?? UNKNOWN_LAG),
  };
}

function termsTarget(name: string, mapping: Mapping): FieldTarget {
  const fields = queryFields(mapping);
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
function patternOf(request: CheckedSuggest, target: FieldTarget): Leaf {
  const { field, text, fuzzy = false } = request;
  const short = Array.from(text).length <= SHORT_TEXT;
  const edits = request.max_edits ?? (short ? 1 : 2);
  const node: PatternNode = fuzzy
    ? { kind: 'fuzzy', field, value: text, edits }
    : { kind: 'prefix', field, value: text };
  const clause =
    target.kind === 'path'
      ? bindPathPattern(target.plan, node, target.path, 1, null)
      : bindPattern(target.plan, node, 1, null);
  return clause as Leaf;
}
