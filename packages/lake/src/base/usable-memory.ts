/** The memory that this process may use, and defaults that depend on it. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** A control group without a limit reports a number beyond the memory of any machine. */
const NO_LIMIT = 2 ** 50;

let budget = Number.POSITIVE_INFINITY;

/** Bounds the memory of this process: defaults that are set after this call follow the budget. */
export function limitMemory(bytes: number): void {
  budget = bytes;
}

/** The limit of the control group (a container) of this process; null without one. */
export function controlGroupMemory(): number | null {
  const limit = constrainedMemory();
  return limit > 0 && limit < NO_LIMIT && limit < totalmem() ? limit : null;
}

/** Bytes that this process may use: the least of its budget, its control group and the machine. */
export const usableMemory = (): number =>
  Math.min(budget, controlGroupMemory() ?? Number.POSITIVE_INFINITY, totalmem());

/** Returns `bytes`, or a share of the usable memory if that is less. */
export const memoryShare = (bytes: number, share: number): number =>
  Math.min(bytes, Math.floor(usableMemory() * share));
