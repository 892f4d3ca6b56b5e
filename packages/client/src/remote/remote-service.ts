import {
  type CallContext,
  type Defining,
  type DefinitionApi,
  type HitReader,
  type HitsRequest,
  LhsError,
} from '@lakehouse-search/contract';
import {
  abortedBy,
  checkCall,
  eachHit,
  type Operation,
  type ServiceApi,
  withDefinitionText,
} from '@lakehouse-search/contract/internal';
import { ROUTES } from '../generated/routes.ts';
import { retrying } from './retry.ts';
import type { Transport, TransportCall } from './transport.ts';
import { requireWanted } from './wanted.ts';

/** Who calls a service, and how patiently. */
export interface CallerOptions {
  /** A session token (`Authorization: Bearer`) or an API token (`ApiKey`). */
  readonly token?: string | undefined;
  /** An API token, as `token` takes it too. */
  readonly apiKey?: string | undefined;
  /**
   * The value of `Authorization` for a call, instead of `token` and `apiKey`. With it a call may
   * have a principal, whose header this function returns.
   */
  readonly authorization?:
    | ((call: CallContext) => string | undefined | Promise<string | undefined>)
    | undefined;
  /**
   * Milliseconds until a read without a deadline throws `deadline_exceeded`; default 60,000. 0: no
   * limit, which streams and changes never have.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds for which a call that failed in passing is repeated; default 10,000, so that a
   * service may restart meanwhile. 0: one attempt.
   */
  readonly retryMs?: number | undefined;
}

/** A service, and what a program can use beside its operations. */
export interface RemoteService extends Omit<ServiceApi, Defining>, DefinitionApi, HitReader {}

/** Checks the request of an operation. Throws invalid_argument, limit_exceeded. */
export type CheckRequest = (operation: Operation, request: unknown) => void;

/** How API tokens begin; session tokens do not. */
const API_TOKEN = /^lhs_/;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 10_000;
/** Streams without an end of their own: they end, without an error, when their call is aborted. */
const ENDLESS: ReadonlySet<Operation> = new Set<Operation>(['follow']);

/**
 * The operations of a service over a transport, which is opened with the first call. `check` judges
 * requests before they are sent.
 */
export function remoteService(
  options: CallerOptions,
  open: () => Promise<Transport>,
  check: CheckRequest = () => {},
): RemoteService {
  let transport: Promise<Transport> | undefined;
  let closed = false;
  const connected = (): Promise<Transport> => {
    if (closed) throw new LhsError('closed', 'the client is closed');
    return (transport ??= open());
  };
  const caller = { options, connected, check };
  const methods = (Object.keys(ROUTES) as Operation[]).map((operation) => [
    operation,
    ROUTES[operation].stream === 'responses'
      ? streaming(operation, caller)
      : calling(operation, caller),
  ]);
  const close = async (): Promise<void> => {
    closed = true;
    await (await transport)?.close();
  };
  const service = { ...Object.fromEntries(methods), close } as Omit<RemoteService, keyof HitReader>;
  return Object.freeze({
    ...service,
    [Symbol.asyncDispose]: close,
    hits: (request: HitsRequest, call?: CallContext) => eachHit(service, request, call),
  });
}

interface Caller {
  readonly options: CallerOptions;
  readonly connected: () => Promise<Transport>;
  readonly check: CheckRequest;
}

function calling(operation: Operation, caller: Caller) {
  const idempotent = ROUTES[operation].idempotent === true;
  const { retryMs = RETRY_MS } = caller.options;
  return async (sent: unknown, call?: CallContext): Promise<unknown> => {
    const request = withDefinitionText(sent);
    const own = await prepared(operation, caller, request, call);
    const attempt = async () => (await caller.connected()).unary(operation, request, own);
    const window = comesOnce(operation, request) ? 0 : retryMs;
    return retrying(attempt, { retryMs: window, idempotent }, own);
  };
}

/**
 * Parts of a change batch that come one by one were read by the first attempt. A second one would
 * send none, and the service would take the batch for a step without changes.
 */
function comesOnce(operation: Operation, request: unknown): boolean {
  if (ROUTES[operation].stream !== 'requests') return false;
  const { batch } = request as { readonly batch: { readonly parts: unknown } };
  return !Array.isArray(batch.parts);
}

function streaming(operation: Operation, caller: Caller) {
  return async function* (request: unknown, call?: CallContext): AsyncGenerator<unknown> {
    const own = await prepared(operation, caller, request, call);
    try {
      yield* (await caller.connected()).stream(operation, request, own);
    } catch (error) {
      const { signal } = own;
      if (!signal?.aborted || (error as LhsError).code !== 'interrupted') throw error;
      if (!ENDLESS.has(operation)) throw abortedBy(signal);
    }
  };
}

/** Checks a call and its request. */
async function prepared(
  operation: Operation,
  { options, check }: Caller,
  request: unknown,
  context: CallContext | undefined,
): Promise<TransportCall> {
  const call = checkCall(context);
  requireWanted(call);
  check(operation, request);
  const { signal, deadline = defaultDeadline(operation, options, context) } = call;
  return { signal, deadline, authorization: await authorizationOf(options, call) };
}

function defaultDeadline(
  operation: Operation,
  { timeoutMs = TIMEOUT_MS }: CallerOptions,
  context: CallContext | undefined,
): number | undefined {
  const { idempotent, stream } = ROUTES[operation];
  const isLimited = idempotent === true && stream === undefined && timeoutMs > 0;
  return isLimited && context?.timeoutMs === undefined ? Date.now() + timeoutMs : undefined;
}

async function authorizationOf(
  { authorization, token, apiKey }: CallerOptions,
  call: CallContext,
): Promise<string | undefined> {
  if (authorization !== undefined) return authorization(call);
  if (call.principal !== undefined) {
    const message = '"principal" does not go with a remote service: it knows callers by tokens';
    throw new LhsError('invalid_argument', message);
  }
  const sent = token ?? apiKey;
  if (sent === undefined) return undefined;
  return `${sent === apiKey || API_TOKEN.test(sent) ? 'ApiKey' : 'Bearer'} ${sent}`;
}
