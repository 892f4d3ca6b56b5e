import type { BuildThreads, OpenBuildThreads } from '../index/build-threads.ts';
import type { AnalyzerDefinition } from '../schema/definition.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { divideSegment, isEmptyShare, type ShareItem } from '../segment/segment-share.ts';
import type { BuildSettings, PlainPlan } from './build-messages.ts';
import { ShareThread } from './build-thread.ts';
import { BUILD_WORKER } from './entries.ts';

/** Bytes of documents that may be on their way to a thread. */
const MOST_SENT = 8 * 2 ** 20;

/**
 * Costs in microseconds per row of git.commits. The caller's thread also reads rows, makes
 * documents of them, and hashes and caches texts that embedding threads turn into vectors.
 */
const COST = Object.freeze({
  read: 4,
  embed: 5,
  text: 8,
  keyword: 1,
  column: 0.5,
  vector: 7,
  rows: 2,
});

/**
 * Threads of a build: with the caller's thread `threads` together. Each makes a share of every
 * segment. None start if one thread has nothing to share.
 */
export const buildThreads =
  (analyzers: readonly AnalyzerDefinition[], threads: number): OpenBuildThreads =>
  (plans, path) => {
    const embeds = plans.some(({ vector }) => vector !== undefined && vector.model !== null);
    const besides = COST.read + (embeds ? COST.embed : 0);
    const busy = Array.from({ length: threads }, (_, at) => (at === 0 ? besides : 0));
    const [own, ...others] = divideSegment(itemsOf(plans), busy);
    const shares = others.filter((share) => !isEmptyShare(share));
    if (shares.length === 0) return null;
    const plain = plans.map(plainPlan);
    const started = shares.map((share) => {
      const settings: BuildSettings = { path, plans: plain, analyzers, share };
      return new ShareThread(BUILD_WORKER, settings, MOST_SENT);
    });
    return {
      own,
      threads: started,
      close: async () => {
        await Promise.all(started.map((thread) => thread.close()));
      },
    } satisfies BuildThreads;
  };

function itemsOf(plans: readonly FieldPlan[]): readonly ShareItem[] {
  const fields = plans.map((plan) => ({ field: plan.id, cost: costOf(plan) }));
  return [...fields.filter(({ cost }) => cost > 0), { field: null, cost: COST.rows }];
}

function costOf({ inverted, column, vector }: FieldPlan): number {
  const terms = inverted === null ? 0 : COST[inverted.kind];
  return terms + (column === null ? 0 : COST.column) + (vector === undefined ? 0 : COST.vector);
}

/** A plan as plain values. */
function plainPlan(plan: FieldPlan): PlainPlan {
  const { inverted } = plan;
  if (inverted?.kind !== 'text') return { ...plan, inverted };
  const { analyzer, ...text } = inverted;
  return { ...plan, inverted: { ...text, name: analyzer.name } };
}
