/** Parts of explanations of scores, as texts for people. */
import type { ExplainDetail, ScoreFactors } from '@lakehouse-search/contract';
import { withCommas } from '@lakehouse-search/contract/internal';

/** A figure of a score: two decimals, more for small ones. */
export function figure(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.1) return String(Number(value.toPrecision(2)));
  return value.toFixed(2);
}

/** A clause that scores the same wherever it matches. */
export function constantDetail(clause: string, score: number, by = ''): ExplainDetail {
  const description = `${clause}: constant ${figure(score)}${by === '' ? '' : `, ${by}`}`;
  return { description, score, details: [], clause };
}

/** A clause whose score is the sum of its parts'. */
export function sumDetail(clause: string, details: readonly ExplainDetail[]): ExplainDetail {
  const score = details.reduce((sum, part) => sum + part.score, 0);
  const parts = details.length === 1 ? '1 part' : `${details.length} parts`;
  const description = `${clause}: sum of ${parts}`;
  return { description, score, details, clause };
}

/** The best of some parts, and the others times `tie`; null: there are none. */
export function maxDetail(
  clause: string,
  details: readonly ExplainDetail[],
  tie: number,
): ExplainDetail | null {
  if (details.length === 0) return null;
  const best = Math.max(...details.map((part) => part.score));
  const first = details.findIndex((part) => part.score === best);
  const parts = details.map((part, i) => (i === first ? part : lesserDetail(part, tie)));
  const score = parts.reduce((sum, part) => sum + part.score, 0);
  const count = details.length === 1 ? '1 part' : `${details.length} parts`;
  return { description: `${clause}: best of ${count}`, score, details: parts, clause };
}

/** A part of a `dis_max` that another part exceeds. */
function lesserDetail({ clause, score }: ExplainDetail, tie: number): ExplainDetail {
  const description = `${clause}: ${figure(score)} × ${figure(tie)}, as another clause scores more`;
  return { description, score: tie * score, details: [], clause };
}

/** A part whose score is multiplied, because a negative clause matches. */
export function demotedDetail(
  clause: string,
  detail: ExplainDetail,
  factor: number,
): ExplainDetail {
  const why = `times ${figure(factor)}, as the negative clause matches`;
  const change = { score: (factor - 1) * detail.score, details: [], clause };
  const details = [detail, { ...change, description: `${clause}: ${why}` }];
  return { description: `${clause}: ${why}`, score: factor * detail.score, details, clause };
}

/**
 * `idf 5.31 (df 311 of 446,015) × tf 0.92 (1 time in 6 words, 8.1 on average)`. The callers of a
 * tenant get the score alone: its factors count the documents of all tenants.
 */
export function scoredDetail(
  clause: string,
  factors: ScoreFactors,
  where: string,
  guarded: boolean,
): ExplainDetail {
  const { boost, idf, tf, df, docs } = factors;
  const score = idf * boost * tf;
  if (guarded) {
    const description = `${clause}: score ${figure(score)}, ${where}`;
    return { description, score, details: [], clause };
  }
  const boosted = boost === 1 ? '' : `boost ${figure(boost)} × `;
  const found = `df ${df.map(withCommas).join(' + ')} of ${withCommas(docs)}`;
  const sum = df.length > 1 ? 'idf of all words' : 'idf';
  const made = `${boosted}${sum} ${figure(idf)} (${found}) × tf ${figure(tf)} (${where})`;
  return { description: `${clause}: ${made}`, score, details: [], clause, factors };
}
