import { setTimeout as sleep } from 'node:timers/promises';
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { ByteSpan } from './object-store.ts';

/** What to do after a failed attempt. */
export type FaultKind = 'missing' | 'refused' | 'passing' | 'expired' | 'fatal';

/** A result, or why there is none. `retried`: an earlier attempt may have reached the server. */
export type StoreResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly retried: boolean };

/** How the errors of a store's SDK are read. */
export interface FaultRules {
  kindOf(error: unknown): FaultKind;
  /** Milliseconds to wait, as the server requests, or null. */
  retryAfterMs(error: unknown): number | null;
}

/** One request. */
export interface StoreRequest<T> {
  /** One attempt; `signal` ends it. */
  attempt(signal: AbortSignal): Promise<T>;
  /** The error of a request that failed for good. */
  fault(error: unknown): unknown;
  /** Before the attempt that follows expired credentials. */
  renew?(): void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests to one store. A request is repeated after passing faults with growing random pauses,
 * each attempt and the whole within a time limit; at most `LIMITS.storeRequests` run at a time.
 */
export class StoreRequests {
  readonly #rules: FaultRules;
  readonly #firstPauseMs: number;
  readonly #slots: (() => void)[] = [];
  #running = 0;

  /** `firstPauseMs`: the bound of the pause after the first failed attempt. */
  constructor(rules: FaultRules, firstPauseMs = 100) {
    this.#rules = rules;
    this.#firstPauseMs = firstPauseMs;
  }

  /** Sends a request until it is answered. Throws its fault, and the signal's reason. */
  async send<T>(request: StoreRequest<T>): Promise<StoreResult<T>> {
    const { signal } = request;
    const until = performance.now() + LIMITS.storeWholeMs;
    for (let attempt = 1, renewed = false; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return { kind: 'done', value: await this.#inSlot(() => inTime(request)) };
      } catch (error) {
        signal?.throwIfAborted();
        const kind = error instanceof LakeError ? 'fatal' : this.#rules.kindOf(error);
        if (kind === 'missing') return { kind };
        if (kind === 'refused') return { kind, retried: attempt > 1 };
        const attempts = isNobodyThere(error) ? FEW_ATTEMPTS : LIMITS.storeAttempts;
        const pause = this.#rules.retryAfterMs(error) ?? jitter(this.#firstPauseMs, attempt);
        const late = attempt >= attempts || performance.now() + pause > until;
        if (kind === 'expired' && !renewed) {
          renewed = true;
          request.renew?.();
        } else if (kind !== 'passing' || late) throw request.fault(error);
        await sleep(Math.min(pause, LONGEST_PAUSE_MS), undefined, { signal });
      }
    }
  }

  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= LIMITS.storeRequests) {
      await new Promise<void>((resolve) => this.#slots.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#slots.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

const FEW_ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 20_000;

/** One attempt within its time limit. */
async function inTime<T>({ attempt, signal }: StoreRequest<T>): Promise<T> {
  const limit = AbortSignal.timeout(LIMITS.storeAttemptMs);
  try {
    return await attempt(signal === undefined ? limit : AbortSignal.any([signal, limit]));
  } catch (error) {
    if (limit.aborted) throw Object.assign(new Error('timeout'), { name: 'TimeoutError' });
    throw error;
  }
}

/** A random pause whose bound doubles with every attempt. */
function jitter(firstMs: number, attempt: number): number {
  const bound = Math.min(firstMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return bound / 2 + (Math.random() * bound) / 2;
}

/** Whether nothing listens at the endpoint, or it has no address: few attempts are enough. */
const isNobodyThere = (error: unknown): boolean =>
  /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(codeOf(error));

/** Codes of connections that fail and may work again. */
const NETWORK =
  /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ERR_STREAM_PREMATURE_CLOSE|UND_ERR\w*)$/;

/** Whether an error is one of the network, of a server that is busy, or of an attempt's limit. */
export function isPassing(error: unknown, status: number): boolean {
  const { name = '', message = '' } = error as { readonly name?: string; message?: string };
  if (/^(TimeoutError|ShortBody)$/.test(name) || NETWORK.test(codeOf(error))) return true;
  return /socket hang up|aborted/i.test(message) || [429, 500, 502, 503, 504].includes(status);
}

/** The code of an error, or of its cause. */
function codeOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined || cause === null ? '' : codeOf(cause);
}

/** Milliseconds of the header `Retry-After`; null without one of whole seconds. */
export const retryAfter = (seconds: string | null | undefined): number | null =>
  /^\d{1,4}$/.test(seconds ?? '') ? Number(seconds) * 1000 : null;

/** A body and how many bytes were announced. */
export interface StoreBody {
  readonly chunks: AsyncIterable<Uint8Array> & { destroy?(error?: Error): void };
  readonly announced: number | undefined;
}

/**
 * The bytes of a body; fewer than announced are a fault of this attempt. `signal` ends the reading.
 * Throws limit_exceeded for more than `maxBytes`.
 */
export async function readBody(
  { chunks, announced }: StoreBody,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const stop = () => chunks.destroy?.(signal.reason);
  const refuse = (bytes: number): never => {
    chunks.destroy?.();
    const message = `an object of ${bytes} bytes; at most ${maxBytes} are read`;
    throw new LakeError('limit_exceeded', message);
  };
  if (announced !== undefined && announced > maxBytes) refuse(announced);
  signal.addEventListener('abort', stop);
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of chunks) {
      length += part.length;
      if (length > maxBytes) refuse(length);
      parts.push(part);
    }
    if (announced === undefined || length === announced) return Buffer.concat(parts, length);
    const short = new Error(`${length} of ${announced} bytes came`);
    throw Object.assign(short, { name: 'ShortBody' });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A span as the header `Range` names it. */
export function rangeHeader(span: ByteSpan): string {
  if ('suffix' in span) return `bytes=-${span.suffix}`;
  return `bytes=${span.offset}-${span.offset + span.length - 1}`;
}
