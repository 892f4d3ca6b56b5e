import { setTimeout as sleep } from 'node:timers/promises';
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { createSecrets } from '../base/secrets.ts';
import {
  isNobodyThere,
  kindOfFault,
  type RequestPlace,
  retryAfterMs,
  s3Fault,
} from './s3-faults.ts';
import { loadS3Sdk, type S3Sdk, type SdkAnswer, type SdkClient } from './s3-sdk.ts';
import type { S3Settings } from './s3-settings.ts';

/** One request: which command, to what, and how its answer is read. */
export interface S3Request<T> {
  readonly bucket: string;
  readonly key: string;
  readonly command: keyof Omit<S3Sdk, 'S3Client'>;
  readonly input?: object;
  readonly signal?: AbortSignal | undefined;
  /** Reads the answer within the time limit of the attempt; its errors count as the attempt's. */
  read(answer: SdkAnswer): T | Promise<T>;
}

/** A result, or why there is none. `retried`: an earlier attempt may have reached the server. */
export type S3Result<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly retried: boolean };

const SILENT = () => {};
const LOGGER = { trace: SILENT, debug: SILENT, info: SILENT, warn: SILENT, error: SILENT };

/**
 * Requests to one S3 endpoint over connections that are kept. A request is repeated after passing
 * faults with growing random pauses, each attempt and the whole within a time limit; at most
 * `LIMITS.s3Requests` run at a time. Secrets are masked in every error.
 */
export class S3Requests {
  readonly #settings: S3Settings;
  readonly #secrets = createSecrets();
  readonly #slots: (() => void)[] = [];
  #client: Promise<SdkClient> | null = null;
  #sdk: Promise<S3Sdk> | null = null;
  readonly #firstPauseMs: number;
  #region = '';
  #running = 0;

  /** `firstPauseMs`: the bound of the pause after the first failed attempt. */
  constructor(settings: S3Settings, firstPauseMs = 100) {
    this.#settings = settings;
    this.#firstPauseMs = firstPauseMs;
  }

  /** The endpoint as messages show it. */
  get endpoint(): string {
    return this.#settings.endpoint ?? 'Amazon S3';
  }

  /**
   * Sends a request until it is answered. Throws the errors of ObjectStore, and the signal's
   * reason.
   */
  async send<T>(request: S3Request<T>): Promise<S3Result<T>> {
    const { signal } = request;
    const until = performance.now() + LIMITS.s3WholeMs;
    for (let attempt = 1, renewed = false; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return { kind: 'done', value: await this.#inSlot(() => this.#attempt(request)) };
      } catch (error) {
        signal?.throwIfAborted();
        const kind = kindOfFault(error);
        if (kind === 'missing') return { kind };
        if (kind === 'refused') return { kind, retried: attempt > 1 };
        const attempts = isNobodyThere(error) ? FEW_ATTEMPTS : LIMITS.s3Attempts;
        const pause = retryAfterMs(error) ?? jitter(this.#firstPauseMs, attempt);
        const late = attempt >= attempts || performance.now() + pause > until;
        if (kind === 'expired' && !renewed) {
          renewed = true;
          this.#renew();
        } else if (kind !== 'passing' || late) throw this.#fault(error, request);
        await sleep(Math.min(pause, LONGEST_PAUSE_MS), undefined, { signal });
      }
    }
  }

  async #attempt<T>(request: S3Request<T>): Promise<T> {
    const { bucket, key, command, input, signal } = request;
    const [sdk, client] = await Promise.all([this.#loaded(), this.#connected()]);
    const limit = AbortSignal.timeout(LIMITS.s3AttemptMs);
    const abortSignal = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const named = key === '' ? { Bucket: bucket } : { Bucket: bucket, Key: key };
    try {
      const answer = await client.send(new sdk[command]({ ...named, ...input }), { abortSignal });
      const stop = () => answer.Body?.destroy?.(abortSignal.reason);
      abortSignal.addEventListener('abort', stop);
      try {
        return await request.read(answer);
      } finally {
        abortSignal.removeEventListener('abort', stop);
      }
    } catch (error) {
      if (limit.aborted) throw Object.assign(new Error('timeout'), { name: 'TimeoutError' });
      throw error;
    }
  }

  /** The next attempt signs with new credentials. */
  #renew(): void {
    const old = this.#client;
    this.#client = null;
    old?.then((client) => client.destroy()).catch(SILENT);
  }

  #loaded(): Promise<S3Sdk> {
    this.#sdk ??= loadS3Sdk();
    return this.#sdk;
  }

  #connected(): Promise<SdkClient> {
    if (this.#client === null) {
      const connecting = this.#connect();
      this.#client = connecting;
      connecting.catch(() => {
        if (this.#client === connecting) this.#client = null;
      });
    }
    return this.#client;
  }

  async #connect(): Promise<SdkClient> {
    const { S3Client } = await this.#loaded();
    const { endpoint, region, pathStyle = false, credentials } = this.#settings;
    const make = (where: string | undefined) =>
      new S3Client({
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(where === undefined ? {} : { region: where }),
        ...(credentials === undefined ? {} : { credentials }),
        forcePathStyle: pathStyle,
        maxAttempts: 1,
        followRegionRedirects: false,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        logger: LOGGER,
        requestHandler: {
          connectionTimeout: LIMITS.s3ConnectMs,
          httpAgent: { keepAlive: true, maxSockets: LIMITS.s3Requests },
          httpsAgent: { keepAlive: true, maxSockets: LIMITS.s3Requests },
        },
      });
    let client = make(region);
    this.#region = await client.config.region().catch(() => '');
    if (this.#region === '') {
      this.#region = DEFAULT_REGION;
      client = make(DEFAULT_REGION);
    }
    const keys = await client.config.credentials();
    this.#secrets.add(keys.secretAccessKey);
    this.#secrets.add(keys.sessionToken ?? '');
    this.#secrets.add(keys.accessKeyId);
    return client;
  }

  #fault(error: unknown, { bucket, key }: S3Request<unknown>): unknown {
    const place: RequestPlace = { bucket, key, endpoint: this.endpoint, region: this.#region };
    return this.#secrets.masked(s3Fault(error, place));
  }

  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= LIMITS.s3Requests) {
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

const DEFAULT_REGION = 'us-east-1';
const FEW_ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 20_000;

/** A random pause whose bound doubles with every attempt. */
function jitter(firstMs: number, attempt: number): number {
  const bound = Math.min(firstMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return bound / 2 + (Math.random() * bound) / 2;
}

/** The bytes of an answer's body; fewer than announced are a fault of this attempt. */
export async function bodyOf(answer: SdkAnswer, maxBytes: number): Promise<Buffer> {
  const announced = answer.ContentLength;
  if (announced !== undefined && announced > maxBytes) throw tooLarge(announced, maxBytes, answer);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.Body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(length, maxBytes, answer);
    chunks.push(chunk);
  }
  if (announced !== undefined && length !== announced) {
    throw Object.assign(new Error(`${length} of ${announced} bytes came`), { name: 'ShortBody' });
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(length: number, maxBytes: number, { Body }: SdkAnswer): LakeError {
  Body?.destroy?.();
  return new LakeError(
    'limit_exceeded',
    `an object of ${length} bytes; at most ${maxBytes} are read`,
  );
}
