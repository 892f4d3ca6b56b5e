import type { FollowEvent, Healed, Progress } from '@lakehouse-search/engine';
import { clockTime, count, duration, plural, snapshotName } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { printable } from '../terminal/text.ts';
import { healWords } from './heal-words.ts';

type Step = Pick<Progress, 'snapshot' | 'operation' | 'inserted' | 'updated' | 'deleted'>;

/** `5110…0042  overwrite      +4     ~37     -12`; counts of nothing are left blank. */
export function stepLine(step: Step): string {
  const name = snapshotName(step.snapshot ?? 'empty').padEnd(9);
  const operation = (step.operation ?? '').padEnd(9);
  const { inserted = 0, updated = 0, deleted = 0 } = step;
  if (inserted + updated + deleted > 0) {
    return `${name}  ${operation}${signed('+', inserted)}${signed('~', updated)}${signed('-', deleted)}`;
  }
  const what = step.operation === 'replace' ? 'rewritten files, no row changed' : 'no row changed';
  return `${name}  ${operation}  ${what}`;
}

const signed = (sign: string, n: number) => (n === 0 ? '' : `${sign}${count(n)}`).padStart(8);

const STEP_WIDTH = 46;

/** What following says of one event; `waiting` is for the screen's last line. */
export function eventLines(event: FollowEvent, style: Style): string[] {
  const at = style.dim(clockTime(event.at));
  switch (event.event) {
    case 'commit': {
      const step = stepLine({ ...event, snapshot: event.snapshot ?? undefined } as Step);
      const line = `${at}  ${step.padEnd(STEP_WIDTH)}${duration(event.took_ms).padStart(9)}`;
      return event.healed === undefined ? [line] : [line, `          ${oneStep(event.healed)}`];
    }
    case 'merge': {
      const { segments_before: before, segments_after: after } = event;
      const what =
        before === after
          ? 'segments rewritten without deleted rows'
          : `${plural(before, 'segment')} are ${count(after)} now`;
      return [`${at}  merged     ${what}`];
    }
    case 'retry':
      return [`${at}  ${printable(event.message)}; trying again in ${duration(event.in_ms)}`];
    case 'waiting':
      return [`waiting for the table (every ${duration(event.every_ms).replace('.0', '')}) …`];
  }
}

/** Why it went in one step. */
export const oneStep = ({ reason }: Healed): string =>
  `${healWords(reason)}: the index went there in one step`;
