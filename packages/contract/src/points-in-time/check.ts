/** Requests for points in time. */
import { INDEX_FIELDS } from '../checks/shared.ts';
import { type Check, type Fields, requestOf, textUpTo, wrong } from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { ClosePitRequest, OpenPitRequest } from './request.ts';

const DEFAULT_KEEP_ALIVE = '5m';
const UNIT_MILLIS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const LEAST_MILLIS = 1000;
const ID_BYTES = 1024;

/** A request for a point in time, with its lifetime after each use, in milliseconds. */
export interface CheckedOpenPit {
  readonly index?: string;
  readonly keepMillis: number;
}

const keepAlive: Check = (value, field) => {
  millisOf(value, field);
};
const OPEN_FIELDS: Fields<OpenPitRequest> = { ...INDEX_FIELDS, keep_alive: keepAlive };
const readOpen = requestOf<OpenPitRequest>(OPEN_FIELDS);

/** Checks a request to open a point in time. Throws invalid_argument or limit_exceeded. */
export function checkOpenPitRequest(value: unknown): CheckedOpenPit {
  const { index, keep_alive = DEFAULT_KEEP_ALIVE } = readOpen(value);
  const keepMillis = millisOf(keep_alive, 'keep_alive');
  return { ...(index === undefined ? {} : { index }), keepMillis };
}

const CLOSE_FIELDS: Fields<ClosePitRequest> = { ...INDEX_FIELDS, pit_id: textUpTo(ID_BYTES) };
/** Checks a request to close a point in time. Throws invalid_argument or limit_exceeded. */
export const checkClosePitRequest = requestOf<ClosePitRequest>(CLOSE_FIELDS, 'pit_id');

function millisOf(value: unknown, field: string): number {
  const match = typeof value === 'string' ? /^(\d{1,9})(ms|s|m|h)$/.exec(value) : null;
  if (match === null) throw wrong(field, value, 'a time like "30s", "5m", "1h"');
  const millis = Number(match[1]) * UNIT_MILLIS[match[2] as keyof typeof UNIT_MILLIS];
  if (millis >= LEAST_MILLIS && millis <= REQUEST_LIMITS.pinMillis) return millis;
  const most = `${REQUEST_LIMITS.pinMillis / 60_000}m`;
  throw new LhsError('limit_exceeded', `"${field}" is "${value}": from 1s to ${most}`, {
    hint: 'each use renews it: it need not last longer than the pause between two pages',
  });
}
