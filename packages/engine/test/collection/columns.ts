import { date, list, optional, text } from '../../src/collection/index.ts';

/** Columns of every kind. */
export const NOTES = {
  id: 'string',
  title: text(),
  at: date(),
  size: optional('integer'),
  price: optional('number'),
  done: optional('boolean'),
  label: optional('string'),
  body: optional(text('english')),
  labels: list('string'),
  days: list(date()),
  sizes: list('integer'),
} as const;

/** What the processes of the tests write. */
export const COUNTERS = { id: 'string', n: 'integer', who: 'string' } as const;
