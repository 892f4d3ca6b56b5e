/** The memory that this process may use, and defaults that depend on it. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** A control group without a limit reports a number beyond the memory of any machine. */
const NO_LIMIT = 2 ** 50;

/** The budgets that are in force. */
const budgets = new Set<{ readonly bytes: number }>();

/**
 * Bounds the memory of this process until the function that comes back is called: defaults that are
 * set meanwhile follow the budget.
 */
export function limitMemory(bytes: number): () => void {
  const budget = { bytes };
  budgets.add(budget);
  return () => void budgets.delete(budget);
}

/** The limit of the control group (a container) of this process; null without one. */
export function controlGroupMemory(): number | null {
  const limit = constrainedMemory();
  return limit > 0 && limit < NO_LIMIT && limit < totalmem() ? limit : null;
}

/** Bytes that the machine and the control group allow this process. */
export const systemMemory = (): number => controlGroupMemory() ?? totalmem();

/** Bytes that this process may use: the same, or its budget if that is less. */
export const usableMemory = (): number =>
  Math.min(systemMemory(), ...[...budgets].map(({ bytes }) => bytes));

/** Returns `bytes`, or a share of the usable memory if that is less. */
export const memoryShare = (bytes: number, share: number): number =>
  Math.min(bytes, Math.floor(usableMemory() * share));
