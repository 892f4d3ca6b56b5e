import type { CallLimit, HttpExchange, HttpHead, HttpRequest } from './exchange.ts';

/** As the global `fetch`. */
export type Fetch = typeof fetch;

/** Requests by `fetch`, in browsers and wherever something else than Node runs. */
export function fetchExchange(base: string, send: Fetch): HttpExchange {
  const exchange = async (request: HttpRequest, limit: CallLimit): Promise<Response> => {
    const { method, target, headers, body } = request;
    const controller = new AbortController();
    limit.onStop(() => controller.abort());
    const { signal } = controller;
    // a redirect is not followed: the credentials are for this service alone
    const init = { method, headers, body, signal, redirect: 'manual' } as const;
    return send(`${base}${target}`, init);
  };
  return {
    async whole(request, limit) {
      const response = await exchange(request, limit);
      return { ...headOf(response), text: await response.text() };
    },
    async open(request, limit) {
      const response = await exchange(request, limit);
      return { ...headOf(response), chunks: chunksOf(response) };
    },
    close() {},
  };
}

/** A browser hides status and target of a redirect. */
const headOf = ({ type, status, headers }: Response): HttpHead => ({
  status: type === 'opaqueredirect' ? 302 : status,
  retryAfter: headers.get('retry-after') ?? undefined,
  contentType: headers.get('content-type') ?? undefined,
  location: headers.get('location') ?? undefined,
});

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
