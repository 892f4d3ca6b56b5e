import type { FollowStep } from '@lakehouse-search/lake';
import { count, duration, plural } from '../terminal/figures.ts';

/** What a line names besides the step. */
export interface FollowedFile {
  readonly file: string;
  readonly table: string;
  readonly intervalMs: number;
}

/** A step of following a file, in words. */
export function followLine(step: FollowStep, { file, table, intervalMs }: FollowedFile): string {
  const byte = 'offset' in step ? `byte ${count(step.offset)}` : '';
  switch (step.step) {
    case 'commit':
      return `${table}  +${plural(step.result.inserted, 'row')}  (to ${byte})`;
    case 'waiting':
      return `waiting for lines of ${file} (every ${duration(intervalMs)}) …`;
    case 'lost':
      return (
        `note: ${file} was replaced, and what it had after ${byte} is not in a ` +
        'file beside it; the new file is read from its beginning'
      );
    case 'retry':
      return `${step.message}; trying again in ${duration(intervalMs)} …`;
  }
}

/** The same for JSON. */
export function followEvent(step: FollowStep): object {
  const at = new Date().toISOString();
  if (step.step === 'retry') return { event: 'retry', at, message: step.message };
  if (step.step !== 'commit') return { event: step.step, at, offset: step.offset };
  const { snapshot, inserted } = step.result;
  return { event: 'commit', at, snapshot, inserted, offset: step.offset };
}
