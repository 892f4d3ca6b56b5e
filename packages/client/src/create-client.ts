import {
  type CallContext,
  checkCall,
  LhsError,
  type Operation,
  type Service,
} from '@lakehouse-search/contract';
import { REQUEST_CHECKS } from './remote/request-checks.ts';
import { retrying } from './remote/retry.ts';
import type { Transport, TransportCall } from './remote/transport.ts';
import { requireWanted } from './remote/wanted.ts';
import type { Fetch } from './rest/fetch-exchange.ts';
import { openExchange } from './rest/open-exchange.ts';
import { restTransport } from './rest/rest-transport.ts';
import { ROUTES } from './wire/routes.ts';

/** Where a service is, and who calls it. */
export interface ClientOptions {
  /** `http://`, `https://` (REST), `grpc://` or `grpcs://` (gRPC), with host and port. */
  readonly url: string;
  /** A session token: `Authorization: Bearer`. */
  readonly token?: string;
  /** An API token: `Authorization: ApiKey`. */
  readonly apiKey?: string;
  /**
   * The value of `Authorization` for a call, instead of `token` and `apiKey`. With it a call may
   * have a principal, whose header this function returns.
   */
  readonly authorization?: (call: CallContext) => string | undefined | Promise<string | undefined>;
  /** Further attempts of a call that failed in passing; default 3. */
  readonly retries?: number;
  /** Sends requests of REST instead of a connection pool in Node, the global `fetch` elsewhere. */
  readonly fetch?: Fetch;
}

const RETRIES = 3;
/** Streams without an end of their own: they end, without an error, when their call is aborted. */
const ENDLESS: ReadonlySet<Operation> = new Set<Operation>(['follow']);

/**
 * A service as a `Backend`. Requests are checked before they are sent. The connection is opened
 * with the first call. Throws invalid_argument for a URL that is none.
 */
export function createClient(options: ClientOptions): Service {
  const open = transportOf(options);
  let transport: Promise<Transport> | undefined;
  let closed = false;
  const connected = (): Promise<Transport> => {
    if (closed) throw new LhsError('closed', 'the client is closed');
    return (transport ??= open());
  };
  const methods = (Object.keys(ROUTES) as Operation[]).map((operation) => [
    operation,
    ROUTES[operation].stream === 'responses'
      ? streaming(operation, options, connected)
      : calling(operation, options, connected),
  ]);
  const close = async (): Promise<void> => {
    closed = true;
    await (await transport)?.close();
  };
  return Object.freeze({ ...Object.fromEntries(methods), close }) as Service;
}

type Connect = () => Promise<Transport>;

function calling(operation: Operation, options: ClientOptions, connect: Connect) {
  const idempotent = ROUTES[operation].idempotent === true;
  const { retries = RETRIES } = options;
  return async (request: unknown, call?: CallContext): Promise<unknown> => {
    const own = await prepared(operation, options, request, call);
    const attempt = async () => (await connect()).unary(operation, request, own);
    const further = comesOnce(operation, request) ? 0 : retries;
    return retrying(attempt, { retries: further, idempotent }, own);
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

function streaming(operation: Operation, options: ClientOptions, connect: Connect) {
  return async function* (request: unknown, call?: CallContext): AsyncGenerator<unknown> {
    const own = await prepared(operation, options, request, call);
    try {
      yield* (await connect()).stream(operation, request, own);
    } catch (error) {
      const isEnd = ENDLESS.has(operation) && own.signal?.aborted === true;
      if (!isEnd || !(error instanceof LhsError) || error.code !== 'interrupted') throw error;
    }
  };
}

/** Checks a call and its request. */
async function prepared(
  operation: Operation,
  options: ClientOptions,
  request: unknown,
  context: CallContext | undefined,
): Promise<TransportCall> {
  const call = checkCall(context);
  requireWanted(call);
  REQUEST_CHECKS[operation](request);
  const { signal, deadline } = call;
  return { signal, deadline, authorization: await authorizationOf(options, call) };
}

async function authorizationOf(
  { authorization, token, apiKey }: ClientOptions,
  call: CallContext,
): Promise<string | undefined> {
  if (authorization !== undefined) return authorization(call);
  if (call.principal !== undefined) {
    const message = '"principal" does not go with a remote service: it knows callers by tokens';
    throw new LhsError('invalid_argument', message);
  }
  if (token !== undefined) return `Bearer ${token}`;
  return apiKey === undefined ? undefined : `ApiKey ${apiKey}`;
}

/** How the service of a URL is reached. What only Node has is loaded only if it is used. */
function transportOf({ url, fetch: send }: ClientOptions): () => Promise<Transport> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && parsed.username + parsed.password !== '') {
    const message = '"url" has a user name or a password: use "token" or "apiKey"';
    throw new LhsError('invalid_argument', message);
  }
  switch (parsed?.protocol) {
    case 'http:':
    case 'https:':
      return async () => restTransport(url.replace(/\/+$/, ''), await openExchange(url, send));
    case 'grpc:':
    case 'grpcs:':
      return async () => {
        const { grpcTransport } = await import('./grpc/grpc-transport.ts');
        return grpcTransport(parsed.host, parsed.protocol === 'grpcs:');
      };
    default:
      throw new LhsError('invalid_argument', `"url" is "${url}": expected http, https or grpc`);
  }
}
