/**
 * A hybrid search on one document: the fused score as the sum of what the arms' ranks give, and
 * beside it what each arm says by itself.
 */
import type {
  ArmRank,
  ExplainArm,
  ExplainDetail,
  ExplainResponse,
  FailedArm,
  WhyNot,
} from '@lakehouse-search/contract';
import {
  type CheckedHybrid,
  type Fusion,
  WEIGHT_UNITS,
  withCommas,
} from '@lakehouse-search/contract/internal';
import { farWords } from '../../shard/explain/explain-near.ts';
import type { ExplainedArms, NearerDocs } from '../../shard/shard.ts';
import type { Hybrid } from '../hybrid/find-hybrid.ts';
import type { Near } from '../hybrid/find-nearest.ts';
import {
  type ArmRanges,
  addressNumber,
  type FusedDoc,
  fusedScore,
  rangesOf,
} from '../hybrid/fuse.ts';

/** What there is to say of a document: a tree where it was found, else why it was not. */
export type HybridVerdict = Required<Pick<ExplainResponse, 'arms'>> &
  (
    | { readonly detail: ExplainDetail; readonly why_not?: undefined }
    | { readonly detail?: undefined; readonly why_not: WhyNot }
  );

/**
 * The explained document: its address, what its shard says of it, and the documents nearer than it.
 */
export interface HybridSubject {
  readonly address: number;
  readonly own: ExplainedArms;
  readonly nearer: (near: Near) => Promise<Omit<NearerDocs, 'id'>>;
  /** How the vectors of its segment were searched, in words; null: there is no vector. */
  readonly searched: (near: Near) => string | null;
}

/** Judges a document by both arms. */
export async function judgeHybrid(
  hybrid: Hybrid,
  checked: CheckedHybrid,
  subject: HybridSubject,
): Promise<HybridVerdict> {
  const found = hybrid.docs.find((doc) => addressNumber(doc) === subject.address);
  const { semantic } = hybrid;
  const arms = {
    ...(hybrid.words === null
      ? failedArm(hybrid, 'lexical')
      : { lexical: lexicalArm(hybrid, found, subject) }),
    ...(semantic === null
      ? failedArm(hybrid, 'semantic')
      : { semantic: await semanticArm(semantic, found, subject) }),
  };
  const name = `hybrid(${JSON.stringify(checked.text)})`;
  if (found !== undefined) return { detail: fusedDetail(name, found, hybrid), arms };
  const [first, second] = Object.entries(arms).map(([arm, own]) => `${arm}: ${own?.why_not}`);
  const message = `in no arm: ${second === undefined ? first : `${first}; ${second}`}`;
  return { why_not: { reason: 'not_near', message, clause: name }, arms };
}

/** An arm that failed says so; one that does not take part is absent. */
function failedArm({ failed }: Hybrid, arm: FailedArm['arm']): HybridVerdict['arms'] {
  const own = failed.find((one) => one.arm === arm);
  return own === undefined ? {} : { [arm]: { why_not: `it failed: ${own.message}` } };
}

function lexicalArm(
  { lexical }: Hybrid,
  found: FusedDoc | undefined,
  { own: { words: detail } }: HybridSubject,
): ExplainArm {
  const own = found?.arms.lexical;
  if (own !== undefined && detail !== null) return { ...own, detail };
  if (detail === null) return { why_not: 'none of the words is in the row' };
  const why_not =
    `its words score ${detail.score.toFixed(2)}, behind the first ` +
    `${withCommas(lexical?.length ?? 0)}`;
  return { detail, why_not };
}

async function semanticArm(
  near: Near,
  found: FusedDoc | undefined,
  { own: { similarity }, nearer, searched }: HybridSubject,
): Promise<ExplainArm> {
  const own = similarity === null ? {} : { similarity };
  const way = searched(near);
  const ranked = found?.arms.semantic;
  if (ranked !== undefined) {
    if (way === null) return { ...ranked, ...own };
    const { score } = ranked;
    const detail = { description: `semantic: ${way}`, score, details: [], clause: 'semantic' };
    return { ...ranked, ...own, detail };
  }
  const { field, vector, nearest } = near;
  const { k, min_score } = nearest;
  const known = vector === null || similarity === null ? null : await nearer(near);
  const far = farWords({ field: field.plan, vector, k, min_score }, similarity, () => known);
  return { ...own, why_not: way === null ? far : `${far}; ${way}` };
}

function fusedDetail(
  clause: string,
  { arms, score }: FusedDoc,
  { lexical, semantic, fusion }: Hybrid,
): ExplainDetail {
  const sizes = { lexical: lexical?.length ?? 0, semantic: semantic?.docs.length ?? 0 };
  const ranges = rangesOf({ lexical, semantic: semantic?.docs ?? null });
  const details = (['lexical', 'semantic'] as const).flatMap((arm): ExplainDetail[] => {
    const own = arms[arm];
    if (own === undefined) return [];
    const size = withCommas(sizes[arm]);
    const made = `rank ${own.rank} of ${size}: ${partOf(arm, own, fusion, ranges)}`;
    const score = fusedScore({ [arm]: own }, fusion, ranges);
    return [{ description: `${arm}: ${made}`, score, details: [], clause: arm }];
  });
  const parts = details.length === 1 ? '1 arm' : '2 arms';
  return { description: `${clause}: sum of ${parts}`, score, details, clause };
}

/** What an arm adds to the fused score of a document, as a formula. */
function partOf(
  arm: 'lexical' | 'semantic',
  { rank, score }: ArmRank,
  fusion: Fusion,
  ranges: ArmRanges,
): string {
  const { lexical, semantic } = fusion.weights;
  const weight = fusion.weights[arm];
  if (fusion.method === 'rrf') return `${weight / WEIGHT_UNITS} / (${fusion.rrfK} + ${rank})`;
  const { best, worst } = ranges[arm] ?? { best: score, worst: score };
  const share = decimals(weight / (lexical + semantic));
  if (best === worst) return `${share} × 1`;
  const [own, first, last] = [score, best, worst].map(decimals);
  return `${share} × (${own} - ${last}) / (${first} - ${last})`;
}

const decimals = (value: number): string => String(Math.round(value * 1000) / 1000);
