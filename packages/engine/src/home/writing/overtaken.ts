import type { LhsError } from '@lakehouse-search/contract';

const OVERTAKEN = new WeakSet<object>();

/** Marks the error of a commit that came after another one. */
export function overtaken(error: LhsError): LhsError {
  OVERTAKEN.add(error);
  return error;
}

/** Whether a commit was refused because another one came first. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Error && OVERTAKEN.has(error);
