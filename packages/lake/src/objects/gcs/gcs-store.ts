import { createHash } from 'node:crypto';
import { eachOf } from '../../base/each-of.ts';
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { Buckets, FileAccess } from '../buckets.ts';
import type {
  ByteSpan,
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectParts,
  ObjectStore,
  PutOptions,
} from '../object-store.ts';
import { rangeHeader, readBody, StoreRequests, type StoreResult } from '../store-requests.ts';
import {
  answered,
  eachEntry,
  eachPart,
  type ListPage,
  ownObject,
  withParts,
} from '../store-writes.ts';
import { GCS_FAULTS, gcsFault, noBucket } from './gcs-faults.ts';
import { type GcsCall, type GcsMetadata, type GcsService, gcsService } from './gcs-service.ts';

/**
 * The buckets of Google Cloud Storage, with the credentials of the environment
 * (GOOGLE_APPLICATION_CREDENTIALS, `gcloud`, the machine). STORAGE_EMULATOR_HOST names another
 * endpoint.
 */
export function gcsBuckets({ env = process.env }: FileAccess): Buckets {
  const requests = new StoreRequests(GCS_FAULTS);
  const service = gcsService(env);
  return Object.freeze({
    endpoint: service.endpoint,
    bucket: (name: string, prefix = '') => new GcsStore({ requests, service, name, prefix }),
  });
}

/** A bucket, or the part of it below `prefix` (empty, or ending in a slash). */
interface GcsPlace {
  readonly requests: StoreRequests;
  readonly service: GcsService;
  readonly name: string;
  readonly prefix: string;
}

/** Objects of a bucket. Versions are generations. */
class GcsStore implements ObjectStore {
  readonly #at: GcsPlace;

  constructor(at: GcsPlace) {
    this.#at = at;
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | null> {
    const metadata = await this.#metadata(key, signal);
    return metadata === null ? null : infoOf(key, metadata);
  }

  async get(key: string, options: GetOptions = {}): Promise<GotObject | 'missing' | 'changed'> {
    const { span, etag, signal, maxBytes = mostOf(span) } = options;
    if (etag !== undefined && !/^\d+$/.test(etag)) return 'changed';
    const call = {
      path: this.#path(key),
      query: { alt: 'media', generation: etag },
      range: span && rangeHeader(span),
    };
    const result = await this.#send(key, signal, call, async ({ headers, body }, stop) => {
      const length = headers.get('content-length');
      const announced = length === null ? undefined : Number(length);
      const bytes = await readBody({ chunks: body ?? EMPTY, announced }, maxBytes, stop);
      const version = headers.get('x-goog-generation') ?? '';
      return { key, etag: version, bytes, ...placeOf(headers, bytes) };
    });
    if (result.kind === 'done') return result.value;
    // a generation that is gone is missing: look whether the object is
    const isChanged = etag !== undefined && (await this.head(key, signal)) !== null;
    return isChanged ? 'changed' : 'missing';
  }

  async put(
    key: string,
    body: ObjectBody,
    options: PutOptions = {},
  ): Promise<ObjectInfo | 'refused'> {
    if (body instanceof Uint8Array) return this.#putBody(key, body, body.length, options);
    return withParts(body, (parts) => this.#putBody(key, parts, parts.size, options));
  }

  async #putBody(
    key: string,
    body: Uint8Array | ObjectParts,
    size: number,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    const { condition, signal } = options;
    // a generation of 0 is that of an object that is not there
    const generation = condition === 'absent' ? '0' : condition?.etag;
    const call: GcsCall = {
      method: 'POST',
      path: `/upload/storage/v1/b/${this.#at.name}/o`,
      query: {
        uploadType: 'media',
        name: this.#at.prefix + key,
        ifGenerationMatch: generation,
      },
      body,
    };
    const result = await this.#send(key, signal, call, async (response) => {
      return { ...infoOf(key, (await response.json()) as GcsMetadata), size };
    });
    if (result.kind !== 'refused') return this.#answer(result, key);
    if (!result.retried) return 'refused';
    if (body instanceof Uint8Array) return await ownObject(this, key, body, options);
    return await this.#ownParts(key, body, options);
  }

  list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    return eachEntry(
      (token) => this.#page(prefix, token, options),
      (what) => this.#fault(what, prefix),
    );
  }

  async delete(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    await eachOf(keys, LIMITS.storeRequests, async (key) => {
      const call: GcsCall = { method: 'DELETE', path: this.#path(key) };
      const result = await this.#send(key, signal, call, async () => null);
      if (result.kind === 'refused') this.#answer(result, key);
    });
  }

  /** An upload that was given up leaves nothing. */
  async sweep(): Promise<void> {}

  async #page(
    prefix: string,
    pageToken: string | undefined,
    { oneLevel = false, signal }: ListOptions,
  ): Promise<ListPage> {
    const cut = this.#at.prefix.length;
    const call = {
      path: `/storage/v1/b/${this.#at.name}/o`,
      query: {
        prefix: this.#at.prefix + prefix,
        pageToken,
        delimiter: oneLevel ? '/' : undefined,
        fields: 'items(name,size,generation),prefixes,nextPageToken',
      },
    };
    const result = await this.#send(prefix, signal, call, async (response) => response.json());
    if (result.kind === 'missing') throw noBucket(this.#object(prefix));
    const { items = [], prefixes = [], nextPageToken } = this.#answer(result, prefix) as Listing;
    const folders = prefixes.map((name) => ({ key: name.slice(cut), size: 0, etag: '' }));
    const entries = items.map((item) => infoOf(item.name.slice(cut), item));
    return { entries: [...folders, ...entries], next: nextPageToken };
  }

  /** The object that an attempt whose answer was lost wrote: it has the digest of the parts. */
  async #ownParts(
    key: string,
    parts: ObjectParts,
    { signal }: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    const there = await this.#metadata(key, signal);
    const hash = createHash('md5');
    for await (const part of eachPart(parts)) hash.update(part);
    return there?.md5Hash === hash.digest('base64') ? infoOf(key, there) : 'refused';
  }

  async #metadata(key: string, signal: AbortSignal | undefined): Promise<GcsMetadata | null> {
    const call = { path: this.#path(key) };
    const result = await this.#send(key, signal, call, async (response) => {
      return (await response.json()) as GcsMetadata;
    });
    return result.kind === 'missing' ? null : this.#answer(result, key);
  }

  #path = (key: string): string =>
    `/storage/v1/b/${this.#at.name}/o/${encodeURIComponent(this.#at.prefix + key)}`;

  #send<T>(
    key: string,
    signal: AbortSignal | undefined,
    call: GcsCall,
    read: (response: Response, signal: AbortSignal) => Promise<T>,
  ): Promise<StoreResult<T>> {
    return this.#at.requests.send({
      signal,
      fault: (error) => gcsFault(error, this.#object(key)),
      attempt: async (stop) => read(await this.#at.service.call(call, stop), stop),
    });
  }

  #object = (key: string): string => `gs://${this.#at.name}/${this.#at.prefix}${key}`;

  #answer<T>(result: StoreResult<T>, key: string): T {
    return answered(result, (what) => this.#fault(what, key));
  }

  #fault(what: string, key: string): LakeError {
    const file = this.#object(key);
    return new LakeError('internal', `"${file}" at Google Cloud Storage: ${what}`, { file });
  }
}

const EMPTY = Object.freeze({ async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {} });

/** A page of objects. */
interface Listing {
  readonly items?: readonly GcsMetadata[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

const infoOf = (key: string, { size = '0', generation = '' }: GcsMetadata): ObjectInfo => ({
  key,
  size: Number(size),
  etag: generation,
});

const mostOf = (span: ByteSpan | undefined): number => {
  if (span === undefined) return LIMITS.manifestBytes;
  return 'suffix' in span ? span.suffix : span.length;
};

/** Where the bytes of an answer begin, and the size of the whole object. */
function placeOf(headers: Headers, bytes: Buffer): { offset: number; size: number } {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '');
  if (match === null) return { offset: 0, size: bytes.length };
  return { offset: Number(match[1]), size: Number(match[2]) };
}
