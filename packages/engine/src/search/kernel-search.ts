import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Execution, ExecutionPlan } from './execute.ts';

/** Answers by the postings' kernels what they can answer; null: not one of those queries. */
export function kernelSearch(_snapshot: IndexSnapshot, _plan: ExecutionPlan): Execution | null {
  return null;
}
