import { LIMITS } from '../../base/limits.ts';
import { createSecrets } from '../../base/secrets.ts';
import { StoreRequests, type StoreResult } from '../store-requests.ts';
import { type RequestPlace, S3_FAULTS, s3Fault } from './s3-faults.ts';
import { loadS3Sdk, type S3Sdk, type SdkAnswer, type SdkClient } from './s3-sdk.ts';
import type { S3Settings } from './s3-settings.ts';

/** One request: which command, to what, and how its answer is read. */
export interface S3Request<T> {
  readonly bucket: string;
  readonly key: string;
  readonly command: keyof Omit<S3Sdk, 'S3Client'>;
  readonly input?: object;
  readonly signal?: AbortSignal | undefined;
  /** Reads the answer within the attempt that `signal` ends; its errors count as the attempt's. */
  read(answer: SdkAnswer, signal: AbortSignal): T | Promise<T>;
}

const SILENT = () => {};
const LOGGER = { trace: SILENT, debug: SILENT, info: SILENT, warn: SILENT, error: SILENT };

/**
 * Requests to one S3 endpoint over connections that are kept, as StoreRequests sends them. Secrets
 * are masked in every error.
 */
export class S3Requests {
  readonly #settings: S3Settings;
  readonly #secrets = createSecrets();
  readonly #requests: StoreRequests;
  #client: Promise<SdkClient> | null = null;
  #sdk: Promise<S3Sdk> | null = null;
  #region = '';

  /** `firstPauseMs`: the bound of the pause after the first failed attempt. */
  constructor(settings: S3Settings, firstPauseMs?: number) {
    this.#settings = settings;
    this.#requests = new StoreRequests(S3_FAULTS, firstPauseMs);
  }

  /** The endpoint as messages show it. */
  get endpoint(): string {
    return this.#settings.endpoint ?? 'Amazon S3';
  }

  /**
   * Sends a request until it is answered. Throws the errors of ObjectStore, and the signal's
   * reason.
   */
  send<T>(request: S3Request<T>): Promise<StoreResult<T>> {
    return this.#requests.send({
      signal: request.signal,
      attempt: (signal) => this.#attempt(request, signal),
      fault: (error) => this.#fault(error, request),
      renew: () => this.#renew(),
    });
  }

  async #attempt<T>(request: S3Request<T>, abortSignal: AbortSignal): Promise<T> {
    const { bucket, key, command, input } = request;
    const [sdk, client] = await Promise.all([this.#loaded(), this.#connected()]);
    const named = key === '' ? { Bucket: bucket } : { Bucket: bucket, Key: key };
    const answer = await client.send(new sdk[command]({ ...named, ...input }), { abortSignal });
    return request.read(answer, abortSignal);
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
    const { endpoint, region, pathStyle = false, credentials, isUnsigned } = this.#settings;
    const make = (where: string | undefined) =>
      new S3Client({
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(where === undefined ? {} : { region: where }),
        ...(isUnsigned ? UNSIGNED : credentials === undefined ? {} : { credentials }),
        forcePathStyle: pathStyle,
        maxAttempts: 1,
        followRegionRedirects: false,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        logger: LOGGER,
        requestHandler: {
          connectionTimeout: LIMITS.storeConnectMs,
          httpAgent: { keepAlive: true, maxSockets: LIMITS.storeRequests },
          httpsAgent: { keepAlive: true, maxSockets: LIMITS.storeRequests },
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
}

const DEFAULT_REGION = 'us-east-1';

/** Settings of a client that sends requests as they are. */
const UNSIGNED = Object.freeze({
  credentials: async () => ({ accessKeyId: '', secretAccessKey: '' }),
  signer: { sign: async (request: object) => request },
});
