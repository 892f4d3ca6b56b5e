/**
 * The words of `more_like_this`: of all terms of rows and of a text, those of the highest
 * tf × idf, with tf over the rows and the text together and idf = 1 + ln((documents + 1) /
 * (documents with the term + 1)) of the field.
 */
import { LhsError } from '@lakehouse-search/contract';
import { resolveField } from '../query/bind/fields.ts';
import type { LikeNode } from '../query/bind/nearest.ts';
import type { LikedTerms } from '../query/bind/precomputed.ts';
import { fieldSpan, nodeError } from '../query/bind/scope.ts';
import { requiredOf } from '../query/minimum.ts';
import { type FieldPlan, hasTerms } from '../schema/field-plan.ts';
import { formatKey, keyOfCoordinates } from '../schema/keys/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { shardTable } from '../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../schema/sharding/key-buckets.ts';
import { TermCounts, termsOfText } from '../shard/fetch/document-terms.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';
import { termFrequencies } from './statistics.ts';

/**
 * The words of a node. Throws invalid_query for a field without terms, not_found for a key that no
 * document has, limit_exceeded.
 */
export async function likedTerms(
  context: SearchContext,
  fan: FanOut,
  node: LikeNode,
): Promise<LikedTerms['liked']> {
  const fields = likedFields(node, context.mapping);
  const counts = fields.map(() => new TermCounts());
  if (node.text !== undefined) {
    fields.forEach((field, i) => {
      for (const term of termsOfText(field, node.text!)) counts[i].add(term);
    });
  }
  await addRows(context, fan, node, fields, counts);
  const frequent = counts.map((own) => own.all.filter(({ count }) => count >= node.min_term_freq));
  const requested = fields.map(({ id }, i) => {
    return { field: id, terms: frequent[i].map(({ term }) => term) };
  });
  const figures = await termFrequencies(fan, context, requested);
  const weighed = fields.flatMap(({ name }, i) =>
    frequent[i].flatMap(({ term, count }, at) => {
      const df = figures[i].frequencies[at];
      if (df < node.min_doc_freq || df === 0) return [];
      const idf = 1 + Math.log((figures[i].docs + 1) / (df + 1));
      return [{ field: name, term, weight: count * idf }];
    }),
  );
  weighed.sort((a, b) => b.weight - a.weight || Buffer.compare(a.term, b.term));
  return weighed.slice(0, node.max_query_terms).map(({ field, term }) => ({ field, term }));
}

/** Why a node finds no rows. */
export async function whyNoneLike(
  context: SearchContext,
  fan: FanOut,
  node: LikeNode,
): Promise<string> {
  const { length } = await likedTerms(context, fan, node);
  const { min_term_freq, min_doc_freq, minimum_should_match } = node;
  const names = likedFields(node, context.mapping).map(({ name }) => name);
  const words = `of ${names.join(', ')}`;
  if (length === 0)
    return (
      `no word ${words} occurs in ${min_doc_freq} or more rows of the index (min_doc_freq) and ` +
      `${min_term_freq} or more times in what is compared (min_term_freq)`
    );
  const required = Math.max(1, requiredOf(String(minimum_should_match), length));
  return `no other row has ${required} of the ${length} words ${words} (minimum_should_match)`;
}

/** Adds the terms of the rows, from the shards that have them. */
async function addRows(
  { mapping, tenant }: SearchContext,
  fan: FanOut,
  node: LikeNode,
  fields: readonly FieldPlan[],
  counts: readonly TermCounts[],
): Promise<void> {
  const { keys = [] } = node;
  const table = shardTable({ ...mapping.definition, shards: fan.shards.length });
  const termsOf = fields.map(({ name }) => name);
  const found = await fan.askOwners(
    keys.map((key) => keyOfCoordinates(mapping.key, key)),
    (key) => shardOfKey(key, table),
    (shard, own) => shard.keys({ keys: own, termsOf, ...(tenant !== undefined && { tenant }) }),
  );
  found.forEach((row, at) => {
    // A shard that fails leaves its rows out; the answer is partial.
    if (row === null) throw noRow(formatKey(keys[at]), mapping);
    row?.terms?.forEach((terms, i) => {
      for (const { term, count } of terms) counts[i].add(term, count);
    });
  });
}

function noRow(key: string, { definition: { index } }: Mapping): LhsError {
  return new LhsError('not_found', `"more_like_this": no row of index "${index}" has key ${key}`, {
    hint: 'copy the key of a hit',
  });
}

/** The fields of a node. Throws invalid_query for one that has no terms. */
export function likedFields(node: LikeNode, mapping: Mapping): readonly FieldPlan[] {
  const fields = queryFields(mapping);
  if (node.fields === undefined) {
    const plans = mapping.defaultFields.flatMap((name) => fields.plans.get(name) ?? []);
    return plans.filter(hasTerms);
  }
  return [...new Set(node.fields)].map((name) => {
    const target = resolveField(fields, { kind: 'exists', field: name }, null);
    if (target.kind === 'field' && hasTerms(target.plan)) return target.plan;
    const message = `a more_like_this clause needs indexed TEXT or KEYWORD fields: not "${name}"`;
    throw nodeError(null, fieldSpan(node), message);
  });
}
