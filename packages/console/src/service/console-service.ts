import { type ConsoleOperation, httpParts, type RequestOf, type ResponseOf } from './routes.ts';
import { errorOf, ServiceError } from './service-error.ts';
import type { Session } from './session.ts';

/** The operations of the service, as the user of this tab. */
export interface ConsoleService {
  /** URL of the service without a slash at its end. */
  readonly url: string;
  readonly session: Session;
  /** Throws ServiceError; an aborted call throws the reason of its signal. */
  call<O extends ConsoleOperation>(
    operation: O,
    request: RequestOf<O>,
    signal?: AbortSignal,
  ): Promise<ResponseOf<O>>;
}

/** What a service is reached with. */
export interface ConsoleServiceOptions {
  /** The URL below which `/v1` is. */
  readonly url: string;
  readonly session: Session;
  readonly fetch: typeof fetch;
  /** The service did not accept the credentials, or wants some. */
  readonly refused: () => void;
}

/** The service at a URL. */
export function consoleService(options: ConsoleServiceOptions): ConsoleService {
  const { session, refused } = options;
  const url = options.url.replace(/\/+$/, '');
  return {
    url,
    session,
    async call<O extends ConsoleOperation>(
      operation: O,
      request: RequestOf<O>,
      signal?: AbortSignal,
    ) {
      const used = session.current();
      const { status, text } = await exchanged(
        options.fetch,
        url,
        session,
        operation,
        request,
        signal,
      );
      if (status >= 200 && status < 300) return JSON.parse(text) as ResponseOf<O>;
      const error = errorOf(status, text);
      // a call of a former session must not end the one that began meanwhile
      if (status === 401 && operation !== 'login' && session.current() === used) refused();
      throw error;
    },
  };
}

async function exchanged(
  send: typeof fetch,
  url: string,
  session: Session,
  operation: ConsoleOperation,
  request: object,
  signal: AbortSignal | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const { method, target, body } = httpParts(operation, request);
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  const credentials = operation === 'login' ? undefined : session.current();
  if (credentials !== undefined) {
    headers.authorization = `${credentials.scheme} ${credentials.token}`;
  }
  const init: RequestInit = { method, headers, credentials: 'omit', redirect: 'error' };
  if (body !== undefined) init.body = body;
  if (signal !== undefined) init.signal = signal;
  try {
    const response = await send(`${url}/${target}`, init);
    return { status: response.status, text: await response.text() };
  } catch {
    if (signal?.aborted === true) throw signal.reason;
    throw new ServiceError('unreachable', 'the service does not answer', 0, {
      hint: 'it may have stopped, or the network is away: try again',
    });
  }
}
