import type { CallContext, Progress } from '@lakehouse-search/contract';
import { atIntervals } from '../../base/steps.ts';
import type { ForceOptions } from '../../index/merges/background-merges.ts';
import { costOf } from '../../index/merges/merge-plan.ts';

/**
 * Reports forced merges as documents done of all that they read: when they begin, at intervals, and
 * when each has ended. `more` is added to each report.
 */
export function mergeProgress(
  { progress }: CallContext,
  more: Pick<Progress, 'snapshot' | 'shards' | 'windows'> = {},
): Required<Pick<ForceOptions, 'planned' | 'report'>> {
  let docs: readonly number[] = [];
  let before = 0;
  const send = (part: number) => {
    const docs_total = docs.reduce((sum, count) => sum + count, 0);
    const docs_done = Math.round(before + part);
    progress?.({ phase: 'merging', docs_done, docs_total, ...more });
  };
  const sometimes = atIntervals(send);
  return {
    planned(plans) {
      docs = plans.map((plan) => costOf(plan).docs);
      send(0);
    },
    report(at, part) {
      before = docs.slice(0, at).reduce((sum, count) => sum + count, 0);
      (part === 1 ? send : sometimes)(part * docs[at]);
    },
  };
}
