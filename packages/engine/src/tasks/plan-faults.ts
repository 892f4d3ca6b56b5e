import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { plannedAt, type TaskName } from './lines.ts';

const again = (index: string) => [{ step: 'plan_build', index } as const];

/** Throws source_changed if the table has forgotten the snapshot of a plan. */
export function requirePlanned(table: SourceTable, { index, snapshot, ...name }: TaskName): void {
  if (table.snapshots.some(({ id }) => String(id) === snapshot)) return;
  const since = new Date(plannedAt(name)).toISOString();
  const message = `the table of "${index}" has forgotten snapshot ${snapshot}, planned at ${since}`;
  throw new LhsError('source_changed', message, {
    hint: 'plan the build again, and let the table keep its snapshots longer than a build takes',
    next: again(index),
    details: { snapshot },
  });
}

/** The error of a result that does not fit the index as it is now. */
export const planOutdated = (index: string, why: string): LhsError =>
  new LhsError('source_changed', `the build of "${index}" was planned before a change: ${why}`, {
    hint: 'plan the build again',
    next: again(index),
  });

/** The error of results that are not those of one whole build. */
export const incomplete = (index: string, what: string, hint: string): LhsError =>
  new LhsError('invalid_argument', `the build of "${index}" is not complete: ${what}`, { hint });
