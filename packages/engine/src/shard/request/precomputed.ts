import { LhsError } from '@lakehouse-search/contract';
import { ENGLISH_STOP_WORDS } from '../../analysis/language/languages.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { findField, type QueryFields, unknownFieldHint } from '../../query/bind/fields.ts';
import { namedVectorField } from '../../query/bind/nearest.ts';
import type { BoundDocs, BoundVector } from '../../query/bind/precomputed.ts';
import type { Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { MarkedWords, NamedDocs, NearVector, PrecomputedDocs } from '../shard.ts';
import { queryFields } from './query-fields.ts';

/** The documents of `knn` clauses by what the clauses ask for. */
export type DocsByName = NonNullable<QueryFields['precomputed']>;

/** Documents of `knn` clauses as binding takes them; undefined where there are none. */
export function docsByName(
  list: readonly NamedDocs[] | undefined,
  mapping: Mapping,
  segmentIds: readonly string[] | null,
): DocsByName | undefined {
  if (list === undefined) return undefined;
  return new Map(
    list.map(({ name, found }) => {
      return [name, 'liked' in found ? found : boundDocs(found, mapping, segmentIds)];
    }),
  );
}

/** Precomputed documents as a clause reads them. */
export function boundDocs(
  { label, segments, words, near }: PrecomputedDocs,
  mapping: Mapping,
  segmentIds: readonly string[] | null,
): BoundDocs {
  const placed = segmentIds === null ? [] : segments;
  const bySegment = placed.map(({ segment, docs, scores }) => {
    return [segmentIds![segment], { docs, scores }] as const;
  });
  const marked = words === null ? null : boundWords(words, mapping);
  const docs = { label, segments: new Map(bySegment), words: marked };
  return near === undefined ? docs : { ...docs, near: boundNear(near, mapping, segmentIds) };
}

function boundNear(
  { field, searched = [], ...near }: NearVector,
  mapping: Mapping,
  segmentIds: readonly string[] | null,
): BoundVector {
  const placed = segmentIds === null ? [] : searched;
  const byId = placed.map((own) => [segmentIds![own.segment], own] as const);
  const bound = namedVectorField(queryFields(mapping), field);
  return { ...near, field: bound, searched: new Map(byId) };
}

/** The words that hits are marked with, bound; null for more words than a query may have. */
export function boundWords({ text, fields: names }: MarkedWords, mapping: Mapping): Clause | null {
  try {
    const fields = lexicalFields(mapping, names ?? undefined);
    return wordsClause(withoutStopWords(text), fields, mapping);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'limit_exceeded') return null;
    throw error;
  }
}

const STOP_WORDS = new Set(ENGLISH_STOP_WORDS);

/** A text without English stop words, whatever the analyzers of the fields do with them. */
function withoutStopWords(text: string): string {
  return text.replace(/[\p{L}\p{N}]+/gu, (word) =>
    STOP_WORDS.has(word.toLowerCase()) ? ' ' : word,
  );
}

/**
 * The TEXT fields in which the words of a text are looked up: those named, or all indexed ones that
 * the definition names (the catch-all of a variant only if it is named). Throws invalid_argument.
 */
export function lexicalFields(
  mapping: Mapping,
  names: readonly string[] | undefined,
): readonly FieldPlan[] {
  if (names !== undefined) return [...new Set(names)].map((name) => namedField(name, mapping));
  return mapping.fields
    .filter(({ definition, plan }) => definition !== null && plan.inverted?.kind === 'text')
    .map(({ plan }) => plan);
}

function namedField(name: string, mapping: Mapping): FieldPlan {
  const fields = queryFields(mapping);
  const found = findField(fields, name);
  if (found?.kind === 'field' && found.plan.inverted?.kind === 'text') return found.plan;
  const message =
    found === undefined
      ? `"lexical_fields" names "${name}", which is not in index "${fields.index}"`
      : `"lexical_fields" names "${name}", which is no indexed TEXT field`;
  throw new LhsError('invalid_argument', message, unknownFieldHint(fields, name));
}

/** A text as plain words of fields: nothing in it is an operator. */
export function wordsQuery(text: string, fields: readonly FieldPlan[]): Query {
  const should = fields.map(({ name: field }): Query => {
    return { kind: 'match', field, value: text, operator: 'or' };
  });
  if (should.length === 1) return should[0];
  return { kind: 'bool', must: [], should, must_not: [], filter: [] };
}

/** The same, bound. Throws limit_exceeded for more words than a query may have. */
export function wordsClause(text: string, fields: readonly FieldPlan[], mapping: Mapping): Clause {
  return bindQuery(wordsQuery(text, fields), queryFields(mapping));
}
