import { LhsError } from '@lakehouse-search/contract';

/** The paths of the proxy with their parameters. All others are refused. */
const PATHS = Object.freeze({
  query: ['query', 'time', 'timeout', 'limit'],
  query_range: ['query', 'start', 'end', 'step', 'timeout', 'limit'],
  alerts: [],
} as const);

/** Statuses that concern the query; all others concern the metrics server. */
const PASSED_ON: ReadonlySet<number> = new Set([200, 400, 422]);
const RESPONSE_BYTES = 8 * 2 ** 20;
const PARAMETER_CHARS = 8192;
const TIMEOUT_MS = 10_000;
/** Requests to the metrics server at once. */
export const MOST_RUNNING = 16;
const BUSY_SECONDS = 1;

/** A response of the metrics server. */
export interface StatsResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Reads from the HTTP API of the configured Prometheus server. No header of the caller is passed
 * on, no redirect is followed, and sizes, times and requests at once are limited. Without a server:
 * unsupported.
 */
export function statsProxy(server: string | undefined) {
  let running = 0;
  return async (
    path: keyof typeof PATHS,
    parameters: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<StatsResponse> => {
    if (server === undefined) {
      throw new LhsError('unsupported', 'no metrics server is configured');
    }
    const url = new URL(`api/v1/${path}`, server.endsWith('/') ? server : `${server}/`);
    for (const [name, value] of Object.entries(parameters)) {
      url.searchParams.set(name, checked(path, name, value));
    }
    if (running >= MOST_RUNNING) throw busy();
    running++;
    try {
      return await read(url, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
    } finally {
      running--;
    }
  };
}

const busy = (): LhsError =>
  new LhsError('overloaded', `${MOST_RUNNING} requests to the metrics server are running already`, {
    details: { retry_after_s: BUSY_SECONDS },
  });

function checked(path: keyof typeof PATHS, name: string, value: unknown): string {
  const known: readonly string[] = PATHS[path];
  if (!known.includes(name)) {
    const message = `unknown parameter "${name}" of ${path}`;
    throw new LhsError('invalid_argument', message, { hint: `parameters: ${known.join(', ')}` });
  }
  if (typeof value === 'string' && value.length <= PARAMETER_CHARS) return value;
  throw new LhsError('invalid_argument', `"${name}" must be one text`);
}

async function read(url: URL, signal: AbortSignal): Promise<StatsResponse> {
  // The index of undici takes 40 ms to load, which few servers need.
  const { request } = await import('undici');
  try {
    const { statusCode, headers, body } = await request(url, { method: 'GET', signal });
    const isJson = String(headers['content-type']).startsWith('application/json');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES) throw unreachable('its response is too large');
      chunks.push(chunk);
    }
    if (!isJson || !PASSED_ON.has(statusCode)) {
      throw unreachable(`it responded with status ${statusCode}`);
    }
    return { status: statusCode, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    if (error instanceof LhsError) throw error;
    // its message may have the address of the server
    throw unreachable('it does not answer', error);
  }
}

const unreachable = (reason: string, cause?: unknown): LhsError =>
  new LhsError('unreachable', `the metrics server cannot be used: ${reason}`, { cause });
