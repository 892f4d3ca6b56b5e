/**
 * A hybrid search on one document: the fused score as the sum of what the arms' ranks give, and
 * beside it what each arm says by itself.
 */
import type {
  ExplainArm,
  ExplainDetail,
  ExplainResponse,
  FailedArm,
  WhyNot,
} from '@lakehouse-search/contract';
import { type CheckedHybrid, WEIGHT_UNITS } from '@lakehouse-search/contract';
import type { GivenNear } from '../../query/bind/given.ts';
import type { Hybrid } from '../hybrid/find-hybrid.ts';
import { type FusedDoc, fusedScore } from '../hybrid/fuse.ts';
import { explainClause } from './explain-clause.ts';
import { farWords, similarityTo } from './explain-near.ts';
import { type Subject, whole } from './subject.ts';

/** What there is to say of a document: a tree where it was found, else why it was not. */
export type HybridVerdict = Required<Pick<ExplainResponse, 'arms'>> &
  (
    | { readonly detail: ExplainDetail; readonly why_not?: undefined }
    | { readonly detail?: undefined; readonly why_not: WhyNot }
  );

/** Judges a document by both arms. */
export function judgeHybrid(
  hybrid: Hybrid,
  checked: CheckedHybrid,
  subject: Subject,
): HybridVerdict {
  const { snapshot, reader, doc } = subject;
  const found = hybrid.docs.find((one) => {
    return one.doc === doc && snapshot.segments[one.segment] === reader;
  });
  const near = nearOf(hybrid, checked);
  const arms = {
    ...(hybrid.words === null
      ? failedArm(hybrid, 'lexical')
      : { lexical: lexicalArm(hybrid, found, subject) }),
    ...(near === null
      ? failedArm(hybrid, 'semantic')
      : { semantic: semanticArm(near, found, subject) }),
  };
  const name = `hybrid(${JSON.stringify(checked.text)})`;
  if (found !== undefined) return { detail: fusedDetail(name, found, hybrid, checked), arms };
  const [first, second] = Object.entries(arms).map(([arm, own]) => `${arm}: ${own?.why_not}`);
  const message = `in no arm: ${second === undefined ? first : `${first}; ${second}`}`;
  return { why_not: { reason: 'not_near', message, clause: name }, arms };
}

function nearOf({ semantic, field }: Hybrid, { nearest }: CheckedHybrid): GivenNear | null {
  if (semantic === null) return null;
  const { k, min_score } = nearest;
  const { vector, narrowing } = semantic;
  return { field: field.plan, vector, k, min_score, narrowing };
}

/** An arm that could not answer says so; one that was not asked is absent. */
function failedArm({ failed }: Hybrid, arm: FailedArm['arm']): HybridVerdict['arms'] {
  const own = failed.find((one) => one.arm === arm);
  return own === undefined ? {} : { [arm]: { why_not: `it did not answer: ${own.message}` } };
}

function lexicalArm(
  { words, lexical }: Hybrid,
  found: FusedDoc | undefined,
  subject: Subject,
): ExplainArm {
  const detail = words === null ? null : explainClause(words, subject, 'words');
  const own = found?.arms.lexical;
  if (own !== undefined && detail !== null) return { ...own, detail };
  if (detail === null) return { why_not: 'none of the words is in the row' };
  const why_not =
    `its words score ${detail.score.toFixed(2)}, behind the first ` +
    `${whole(lexical?.length ?? 0)}`;
  return { detail, why_not };
}

function semanticArm(near: GivenNear, found: FusedDoc | undefined, subject: Subject): ExplainArm {
  const similarity = similarityTo(near, subject);
  const own = similarity === null ? {} : { similarity };
  if (found?.arms.semantic !== undefined) return { ...found.arms.semantic, ...own };
  return { ...own, why_not: farWords(near, subject) };
}

function fusedDetail(
  clause: string,
  { arms, score }: FusedDoc,
  { lexical, semantic }: Hybrid,
  { fusion }: CheckedHybrid,
): ExplainDetail {
  const sizes = { lexical: lexical?.length ?? 0, semantic: semantic?.docs.length ?? 0 };
  const details = (['lexical', 'semantic'] as const).flatMap((arm): ExplainDetail[] => {
    const own = arms[arm];
    if (own === undefined) return [];
    const weight = fusion.weights[arm] / WEIGHT_UNITS;
    const total = whole(sizes[arm]);
    const made = `rank ${own.rank} of ${total}: ${weight} / (${fusion.rrfK} + ${own.rank})`;
    const part = fusedScore({ [arm]: own }, fusion);
    return [{ description: `${arm}: ${made}`, score: part, details: [], clause: arm }];
  });
  const parts = details.length === 1 ? '1 arm' : '2 arms';
  return { description: `${clause}: sum of ${parts}`, score, details, clause };
}
