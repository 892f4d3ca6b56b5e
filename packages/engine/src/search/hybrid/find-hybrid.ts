/**
 * The documents of a hybrid search: both arms over one commit, each cut at k under the filter and
 * the tenant filter, then fused. An arm that cannot answer is reported beside the documents of the
 * other.
 */

import { type ErrorCode, type FailedArm, LhsError } from '@lakehouse-search/contract';
import { type CheckedHybrid, type Fusion, fusionFor } from '@lakehouse-search/contract/internal';
import { allEnded } from '../../base/all-ended.ts';
import { writeTree } from '../../query/tree/write.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { VectorField } from '../../shard/execute/nearest.ts';
import { bindRequest, filterParts } from '../../shard/request/bind-request.ts';
import { lexicalFields, wordsQuery } from '../../shard/request/precomputed.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { MarkedWords, PrecomputedDocs, ShardQuery } from '../../shard/shard.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { findHits, type PreparedSearch } from '../find-hits.ts';
import { absentWords } from './absent-words.ts';
import {
  docsByShard,
  type FiltersByShard,
  findNear,
  type Near,
  nearNotes,
  quoted,
  type ScoredDoc,
} from './find-nearest.ts';
import { type FusedDoc, fuse } from './fuse.ts';
import { vectorFieldOf } from './query-vector.ts';

/** What a hybrid search found. */
export interface Hybrid {
  readonly docs: readonly FusedDoc[];
  /** Rows that each arm ranks. */
  readonly k: number;
  readonly precomputed: readonly PrecomputedDocs[];
  readonly field: VectorField;
  readonly fusion: Fusion;
  /** The search of the words in the lexical arm; null: it does not take part, or failed. */
  readonly words: PreparedSearch | null;
  /** null: the arm does not take part, or failed. */
  readonly lexical: readonly ScoredDoc[] | null;
  readonly semantic: Near | null;
  readonly failed: readonly FailedArm[];
  readonly notes: readonly string[];
}

/** Errors that end one arm and leave the other as it is. All else ends the search. */
const ARM_CODES: ReadonlySet<ErrorCode> = new Set([
  'model_unavailable',
  'model_mismatch',
  'limit_exceeded',
  'unsupported',
  'io_error',
]);

/**
 * Runs both arms of a search that is prepared without its documents. Throws invalid_argument for
 * what does not fit, and the error of the first arm where no arm could answer.
 */
export async function findHybrid(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedHybrid,
  rest: PreparedSearch,
  filters: FiltersByShard,
): Promise<Hybrid> {
  const { text } = checked;
  const { mapping } = context;
  const { fusion, k } = fusionFor(checked, mapping.definition.hybrid);
  const nearest = { ...checked.nearest, k };
  const field = vectorFieldOf(queryFields(mapping), nearest.vector_field);
  const texts = lexicalFields(mapping, checked.lexicalFields);
  requireTexts(texts, mapping.definition.index);
  const failed: FailedArm[] = [];
  const errors: { [Arm in FailedArm['arm']]?: LhsError } = {};
  const fail = (arm: FailedArm['arm'], error: unknown): null => {
    if (!(error instanceof LhsError) || !ARM_CODES.has(error.code)) throw error;
    const { code, message, hint, next } = error;
    const way = next.length === 0 ? {} : { next };
    failed.push({ arm, code, message, ...(hint === undefined ? {} : { hint }), ...way });
    errors[arm] = error;
    return null;
  };
  const { semantic: meaning, lexical: wording } = fusion.weights;
  // Side by side: both may wait for bytes of an object store.
  const [semantic, lexical] = await allEnded([
    meaning === 0
      ? null
      : findNear(context, fan, field, nearest, filters).catch((e) => fail('semantic', e)),
    wording === 0
      ? null
      : findWords(context, fan, text, texts, rest, nearest.k).catch((e) => fail('lexical', e)),
  ]);
  if (lexical === null && semantic === null) throw errors.semantic ?? errors.lexical;
  const docs = fuse({ lexical: lexical?.docs ?? null, semantic: semantic?.docs ?? null }, fusion);
  const weak = [
    ...(lexical?.docs.length === 0 ? [noWords(text, rest)] : []),
    ...(semantic === null ? [] : nearNotes(semantic, text)),
  ];
  const absent = weak.length > 0 ? [] : await absentWords(context, fan, text, texts, field);
  const words: MarkedWords = {
    text,
    fields: lexical === null ? null : texts.map(({ name }) => name),
  };
  const label = `words and meaning, ${nearest.k} of each, fused`;
  return {
    docs,
    k: nearest.k,
    precomputed: docsByShard(fan.shards.length, label, docs, words),
    field,
    fusion,
    words: lexical?.words ?? null,
    lexical: lexical?.docs ?? null,
    semantic,
    failed,
    notes: [...weak, ...absent],
  };
}

function noWords(text: string, { bound }: PreparedSearch): string {
  const rows = bound.filter === null ? 'no row' : 'no row that passes the filter';
  return `${rows} has a word of ${quoted(text)}`;
}

/** The `k` best documents of the words, best first. */
async function findWords(
  context: SearchContext,
  fan: FanOut,
  text: string,
  fields: readonly FieldPlan[],
  rest: PreparedSearch,
  k: number,
) {
  const ast = writeTree(wordsQuery(text, fields));
  const request = { ast, ...filterParts(rest.bound.checked.request) };
  const search = { ...rest.bound.checked, request };
  const queries = rest.queries.map((query): ShardQuery => ({ ...query, search }));
  const words = { queries, bound: bindRequest(context.mapping, queries[0]), after: null };
  const found = await findHits(context, fan, words, { limit: k, after: null, total: false });
  const docs = found.docs.map(({ shard, segment, hit: { doc, score } }): ScoredDoc => {
    return { shard, segment, doc, score };
  });
  return { words, docs };
}

function requireTexts(texts: readonly FieldPlan[], index: string): void {
  if (texts.length > 0) return;
  const nowhere = 'the words have nowhere to be looked for';
  const message = `index "${index}" has no indexed TEXT field: ${nowhere}`;
  throw new LhsError('invalid_argument', message, {
    hint: 'search:semantic asks for meaning alone',
  });
}
