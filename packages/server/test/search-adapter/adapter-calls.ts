/** Requests to the adapter and to `/v1` of one server. */

// biome-ignore lint/suspicious/noExplicitAny: a test reads any response
export type Body = any;

/** A response. */
export interface AdapterResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends requests under one `Authorization`. */
export interface AdapterCalls {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<AdapterResponse>;
  post(path: string, body?: object | string): Promise<AdapterResponse>;
  send(
    method: string,
    path: string,
    body?: object | string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<AdapterResponse>;
}

/** Calls of a server. */
export function adapterCalls(url: string, authorization?: string): AdapterCalls {
  const own = authorization === undefined ? {} : { authorization };
  const send = async (
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const typed: Readonly<Record<string, string>> =
      body === undefined ? {} : { 'content-type': type };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...own, ...typed, ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body) => send('POST', path, body),
  };
}
