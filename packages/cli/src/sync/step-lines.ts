import type { Healed, Progress } from '@lakehouse-search/contract';
import { count, snapshotName } from '../terminal/figures.ts';
import { healWords } from './heal-words.ts';

type Step = Pick<Progress, 'snapshot' | 'operation' | 'inserted' | 'updated' | 'deleted'>;

/** `5110…0042  overwrite      +4     ~37     -12`; counts of nothing are left blank. */
export function stepLine(step: Step): string {
  const name = snapshotName(step.snapshot ?? 'empty').padEnd(9);
  const operation = (step.operation ?? '').padEnd(9);
  const { inserted = 0, updated = 0, deleted = 0 } = step;
  if (inserted + updated + deleted > 0) {
    return (
      `${name}  ` +
      `${operation}${signed('+', inserted)}${signed('~', updated)}${signed('-', deleted)}`
    );
  }
  const what = step.operation === 'replace' ? 'rewritten files, no row changed' : 'no row changed';
  return `${name}  ${operation}  ${what}`;
}

const signed = (sign: string, n: number) => (n === 0 ? '' : `${sign}${count(n)}`).padStart(8);

/** Why it went in one step. */
export const oneStep = ({ reason }: Healed): string =>
  `${healWords(reason)}: the index went there in one step`;
