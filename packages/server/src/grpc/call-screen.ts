import type { WireMethod } from '@lakehouse-search/client/internal';
import { ERROR_CODES, LhsError } from '@lakehouse-search/contract';
import { type Calls, refusedCaller } from '../calls/calls.ts';
import { mostBytesOf } from '../calls/most-bytes.ts';
import { publicError } from '../calls/public-error.ts';
import { spanRecord } from '../observe/trace-context.ts';
import { type Arrived, arrivedOf, traceResponse } from './arrived.ts';
import type { Arriving, Screen } from './screen.ts';
import { statusOf } from './status-of.ts';

/** Refuses unknown callers, and callers without the scope, before their requests are read. */
export function callScreen(calls: Calls, method: WireMethod): Screen {
  const { operation } = method;
  const mostBytes = mostBytesOf(method);
  return Object.freeze({
    mostBytes,
    admit: (call: Arriving) => {
      const arrived = arrivedOf(call);
      const refuse = (error: unknown): never => refused(calls, method, call, arrived, error);
      try {
        const { arrival, authorization } = arrived;
        return calls.requireCaller(operation, arrival, authorization)?.catch(refuse);
      } catch (error) {
        return refuse(error);
      }
    },
    tooLarge: (call: Arriving, bytes: number) => {
      const error = tooLarge(bytes, mostBytes);
      record(calls, method, arrivedOf(call), error);
      return statusOf(error);
    },
  });
}

/** Throws limit_exceeded for a message with more bytes than its method takes. */
export function requireBytes(method: WireMethod, bytes: number): void {
  const mostBytes = mostBytesOf(method);
  if (bytes > mostBytes) throw tooLarge(bytes, mostBytes);
}

const tooLarge = (bytes: number, mostBytes: number): LhsError =>
  new LhsError('limit_exceeded', `the request has ${bytes} bytes: at most ${mostBytes}`);

function refused(
  calls: Calls,
  method: WireMethod,
  call: Arriving,
  arrived: Arrived,
  error: unknown,
): never {
  traceResponse(call, arrived.span);
  record(calls, method, arrived, error);
  throw statusOf(error);
}

/** Records a call that ends before its request was read. */
function record(
  { observer }: Calls,
  { operation }: WireMethod,
  { arrival, span, began }: Arrived,
  error: unknown,
): void {
  const { code, cause } = publicError(error);
  const { subject, tenant } = refusedCaller(error) ?? {};
  observer?.ended({
    ...arrival,
    ...spanRecord(span),
    ...{ operation, subject, tenant, code, cause, bytes_in: 0, bytes_out: 0 },
    status: ERROR_CODES[code].status,
    micros: Math.round((performance.now() - began) * 1000),
  });
}
