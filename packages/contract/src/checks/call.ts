import type { CallContext, Principal } from '../call.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { name } from './shared.ts';
import {
  type Check,
  callback,
  type Fields,
  instance,
  list,
  oneOf,
  record,
  requestOf,
  text,
  whole,
} from './values.ts';

/** Without a name, a tenant would own the rows that have no tenant. */
const tenant: Check = (value, field) => {
  text(value, field);
  if (value === '') throw new LhsError('invalid_argument', 'a tenant needs a name');
};
const PRINCIPAL_FIELDS: Fields<Principal> = {
  subject: name,
  tenant,
  indexes: list(name, REQUEST_LIMITS.principalIndexes),
  scopes: list(oneOf('search', 'index_read', 'ops', 'admin'), 4),
};
const CALL_FIELDS: Fields<CallContext> = {
  signal: instance('AbortSignal'),
  deadline: whole(0, Number.MAX_SAFE_INTEGER),
  timeoutMs: whole(0, Number.MAX_SAFE_INTEGER),
  principal: record(PRINCIPAL_FIELDS, ['subject', 'scopes']),
  progress: callback,
};
const read = requestOf<CallContext>(CALL_FIELDS);
const NO_CONTEXT: CallContext = Object.freeze({});

/**
 * Checks the context of a call, and returns it with `timeoutMs` as a deadline. Throws
 * invalid_argument or limit_exceeded.
 */
export function checkCall(call: unknown): CallContext {
  if (call === undefined) return NO_CONTEXT;
  const checked = read(call);
  if (checked.timeoutMs === undefined) return checked;
  const { timeoutMs, ...context } = checked;
  if (timeoutMs === 0) return context;
  const { deadline = Number.POSITIVE_INFINITY } = context;
  return { ...context, deadline: Math.min(deadline, Date.now() + timeoutMs) };
}
