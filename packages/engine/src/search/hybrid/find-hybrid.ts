/**
 * The documents of a hybrid search: both arms over one snapshot, each cut at k under the filter and
 * the tenant's guard, then fused. An arm that cannot answer is told beside the other's documents.
 */
import type { CheckedHybrid, FailedArm } from '@lakehouse-search/contract';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Clause } from '../../query/bind/clause.ts';
import type { QueryFields } from '../../query/bind/fields.ts';
import { type GivenDocs, givenDocs, type ScoredDoc } from '../../query/bind/given.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SearchContext } from '../context.ts';
import { narrowingClauses } from '../execute/narrowing.ts';
import { findNear, markedWords, type Near, unknownText } from './find-nearest.ts';
import { type FusedDoc, fuse } from './fuse.ts';
import { lexicalDocs, lexicalFields, wordsClause } from './lexical-arm.ts';
import { type VectorField, vectorFieldOf } from './query-vector.ts';

/** What a hybrid search found. */
export interface Hybrid {
  readonly docs: readonly FusedDoc[];
  readonly given: GivenDocs;
  readonly field: VectorField;
  /** The words as the lexical arm asked them; null: it is not asked, or failed. */
  readonly words: Clause | null;
  /** null: the arm is not asked, or failed. */
  readonly lexical: readonly ScoredDoc[] | null;
  readonly semantic: Near | null;
  readonly failed: readonly FailedArm[];
  readonly notes: readonly string[];
}

/** What keeps one arm from answering and leaves the other as it is. All else ends the search. */
const ARM_CODES: ReadonlySet<ErrorCode> = new Set([
  'model_unavailable',
  'model_mismatch',
  'limit_exceeded',
  'unsupported',
  'io_error',
]);

/** Asks both arms. Throws invalid_argument for what does not fit, and where no arm could answer. */
export async function findHybrid(
  context: SearchContext,
  checked: CheckedHybrid,
  filter: Clause | null,
  fields: QueryFields,
): Promise<Hybrid> {
  const { text, nearest, fusion } = checked;
  const field = vectorFieldOf(fields, nearest.vector_field);
  const asked = lexicalFields(context.mapping, fields, checked.lexicalFields);
  requireTexts(asked, fields);
  const failed: FailedArm[] = [];
  const errors: LhsError[] = [];
  const fail = (arm: FailedArm['arm'], error: unknown): null => {
    if (!(error instanceof LhsError) || !ARM_CODES.has(error.code)) throw error;
    const { code, message, hint, next } = error;
    const way = next.length === 0 ? {} : { next };
    failed.push({ arm, code, message, ...(hint === undefined ? {} : { hint }), ...way });
    errors.push(error);
    return null;
  };
  const narrowing = narrowingClauses({ guard: context.guard, filter });
  const semantic =
    fusion.weights.semantic === 0
      ? null
      : await findNear(context, field, nearest, narrowing).catch((error) =>
          fail('semantic', error),
        );
  const lexical =
    fusion.weights.lexical === 0
      ? null
      : attempt(
          () => {
            const words = wordsClause(text, asked, fields);
            return { words, docs: lexicalDocs(context, words, filter, nearest.k) };
          },
          (error) => fail('lexical', error),
        );
  if (lexical === null && semantic === null) throw errors[0]!;
  const docs = fuse({ lexical: lexical?.docs ?? null, semantic: semantic?.docs ?? null }, fusion);
  const marked = lexical?.words ?? markedWords(text, context.mapping, fields);
  const label = `words and meaning, ${nearest.k} of each, fused`;
  const unknown = semantic?.vector === null && nearest.query_vector === undefined;
  return {
    docs,
    given: givenDocs(label, docs, context.snapshot.segments, marked),
    field,
    words: lexical?.words ?? null,
    lexical: lexical?.docs ?? null,
    semantic,
    failed,
    notes: unknown ? [unknownText(text)] : [],
  };
}

function attempt<T>(work: () => T, fail: (error: unknown) => null): T | null {
  try {
    return work();
  } catch (error) {
    return fail(error);
  }
}

function requireTexts(asked: readonly FieldPlan[], { index }: QueryFields): void {
  if (asked.length > 0) return;
  const fault = 'has no indexed TEXT field: the words have nowhere to be looked for';
  throw new LhsError('invalid_argument', `index "${index}" ${fault}`, {
    hint: 'search:semantic asks for meaning alone',
  });
}
