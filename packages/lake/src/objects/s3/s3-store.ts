import { eachOf } from '../../base/each-of.ts';
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
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
import { rangeHeader, readBody, type StoreResult } from '../store-requests.ts';
import {
  answered,
  eachEntry,
  type ListPage,
  ownObject,
  partOffsets,
  withParts,
} from '../store-writes.ts';
import type { S3Requests } from './s3-requests.ts';
import type { SdkAnswer } from './s3-sdk.ts';

/** A bucket of an S3 endpoint, or the part of it below `prefix` (empty, or ending in a slash). */
export class S3Store implements ObjectStore {
  readonly #requests: S3Requests;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(requests: S3Requests, bucket: string, prefix = '') {
    this.#requests = requests;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | null> {
    const result = await this.#requests.send({
      ...this.#at(key, signal),
      command: 'HeadObjectCommand',
      read: ({ ContentLength = 0, ETag = '' }) => ({ key, size: ContentLength, etag: ETag }),
    });
    return result.kind === 'done' ? result.value : null;
  }

  async get(key: string, options: GetOptions = {}): Promise<GotObject | 'missing' | 'changed'> {
    const { span, etag, signal, maxBytes = mostOf(span) } = options;
    const range = span === undefined ? {} : { Range: rangeHeader(span) };
    const result = await this.#requests.send({
      ...this.#at(key, signal),
      command: 'GetObjectCommand',
      input: { ...range, ...(etag === undefined ? {} : { IfMatch: etag }) },
      read: async (answer, stop) => ({
        key,
        etag: answer.ETag ?? '',
        ...placeOf(answer, span),
        bytes: await bodyOf(answer, maxBytes, stop),
      }),
    });
    if (result.kind === 'done') return result.value;
    return result.kind === 'missing' ? 'missing' : 'changed';
  }

  async put(
    key: string,
    body: ObjectBody,
    options: PutOptions = {},
  ): Promise<ObjectInfo | 'refused'> {
    if (!(body instanceof Uint8Array)) return this.#putLarge(key, body, options);
    const result = await this.#requests.send({
      ...this.#at(key, options.signal),
      command: 'PutObjectCommand',
      input: { ...conditionOf(options), Body: body, ContentLength: body.length },
      read: ({ ETag = '' }) => ({ key, size: body.length, etag: ETag }),
    });
    return this.#written(result, key, body, options);
  }

  list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    return eachEntry(
      (token) => this.#page(prefix, token, options),
      (what) => this.#fault(prefix, what),
    );
  }

  async delete(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let from = 0; from < keys.length; from += KEYS_PER_DELETE) {
      const some = keys.slice(from, from + KEYS_PER_DELETE);
      const objects = some.map((key) => ({ Key: this.#prefix + key }));
      const result = await this.#requests.send({
        bucket: this.#bucket,
        key: '',
        signal,
        command: 'DeleteObjectsCommand',
        input: { Delete: { Objects: objects, Quiet: true } },
        read: ({ Errors = [] }) => Errors.filter(({ Code }) => Code !== 'NoSuchKey'),
      });
      const [first] = this.#done(result, some[0]);
      if (first !== undefined) {
        throw this.#fault(
          first.Key ?? some[0],
          `it cannot be deleted (${first.Code ?? 'unknown'})`,
        );
      }
    }
  }

  /** An object is written by one request, or by parts that the writer gives up on a fault. */
  async sweep(): Promise<void> {}

  #at(key: string, signal: AbortSignal | undefined) {
    return { bucket: this.#bucket, key: this.#prefix + key, signal };
  }

  async #page(
    prefix: string,
    token: string | undefined,
    { oneLevel = false, signal }: ListOptions,
  ): Promise<ListPage> {
    const cut = this.#prefix.length;
    const result = await this.#requests.send({
      bucket: this.#bucket,
      key: '',
      signal,
      command: 'ListObjectsV2Command',
      input: {
        Prefix: this.#prefix + prefix,
        ContinuationToken: token,
        ...(oneLevel ? { Delimiter: '/' } : {}),
      },
      read: ({ CommonPrefixes = [], Contents = [], NextContinuationToken }) => ({
        entries: [
          ...CommonPrefixes.map(({ Prefix = '' }) => ({
            key: Prefix.slice(cut),
            size: 0,
            etag: '',
          })),
          ...Contents.map(({ Key = '', Size = 0, ETag = '' }) => {
            return { key: Key.slice(cut), size: Size, etag: ETag };
          }),
        ],
        next: NextContinuationToken,
      }),
    });
    return this.#done(result, prefix);
  }

  async #putLarge(
    key: string,
    body: Exclude<ObjectBody, Uint8Array>,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    return await withParts(body, async (parts) => {
      if (parts.size > 2 * LIMITS.storePartBytes) return this.#putParts(key, parts, options);
      return this.put(key, await parts.read(0, parts.size), options);
    });
  }

  async #putParts(
    key: string,
    parts: ObjectParts,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    const { size } = parts;
    const at = this.#at(key, options.signal);
    const begun = await this.#requests.send({
      ...at,
      command: 'CreateMultipartUploadCommand',
      read: ({ UploadId }) => UploadId,
    });
    const id = this.#done(begun, key);
    try {
      const sent = await this.#sendParts(key, id, parts, options);
      const result = await this.#requests.send({
        ...at,
        command: 'CompleteMultipartUploadCommand',
        input: { UploadId: id, MultipartUpload: { Parts: sent }, ...conditionOf(options) },
        read: ({ ETag = '' }) => ({ key, size, etag: ETag }),
      });
      if (result.kind === 'refused') await this.#abandon(key, id);
      // the upload is gone after an attempt whose answer was lost
      const info = result.kind === 'missing' ? await this.head(key, options.signal) : null;
      if (result.kind === 'missing' && info?.size === size) return info;
      return result.kind === 'refused' ? 'refused' : this.#done(result, key);
    } catch (error) {
      await this.#abandon(key, id).catch(() => undefined);
      throw error;
    }
  }

  #sendParts(
    key: string,
    id: string | undefined,
    { size, read }: ObjectParts,
    options: PutOptions,
  ) {
    const bytes = Math.max(LIMITS.storePartBytes, Math.ceil(size / MOST_PARTS));
    return eachOf(partOffsets(size, bytes), LIMITS.storePartsAtOnce, async (offset) => {
      const body = await read(offset, Math.min(bytes, size - offset));
      const number = offset / bytes + 1;
      const sent = await this.#requests.send({
        ...this.#at(key, options.signal),
        command: 'UploadPartCommand',
        input: { UploadId: id, PartNumber: number, Body: body, ContentLength: body.length },
        read: ({ ETag }) => ({ ETag, PartNumber: number }),
      });
      return this.#done(sent, key);
    });
  }

  async #abandon(key: string, id: string | undefined): Promise<void> {
    await this.#requests.send({
      ...this.#at(key, undefined),
      command: 'AbortMultipartUploadCommand',
      input: { UploadId: id },
      read: () => null,
    });
  }

  /**
   * A refusal after an attempt whose answer was lost may be our own object. An object that was to
   * be replaced and is gone is a refusal.
   */
  async #written(
    result: StoreResult<ObjectInfo>,
    key: string,
    body: Uint8Array,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    if (result.kind === 'missing' && typeof options.condition === 'object') return 'refused';
    if (result.kind !== 'refused') return this.#done(result, key);
    return result.retried ? await ownObject(this, key, body, options) : 'refused';
  }

  #done<T>(result: StoreResult<T>, key: string): T {
    return answered(result, (what) => this.#fault(key, what));
  }

  #fault(key: string, what: string): LakeError {
    const file = `s3://${this.#bucket}/${this.#prefix}${key}`;
    return new LakeError('internal', `"${file}" at ${this.#requests.endpoint}: ${what}`, { file });
  }
}

const KEYS_PER_DELETE = 1000;
const MOST_PARTS = 10_000;

const mostOf = (span: ByteSpan | undefined) =>
  span === undefined
    ? LIMITS.manifestBytes
    : // a server that sends all of a small object instead of its end
      Math.max('suffix' in span ? span.suffix : span.length, LIMITS.storePartBytes);

const bodyOf = (answer: SdkAnswer, maxBytes: number, signal: AbortSignal): Promise<Buffer> =>
  answer.Body === undefined
    ? Promise.resolve(Buffer.alloc(0))
    : readBody({ chunks: answer.Body, announced: answer.ContentLength }, maxBytes, signal);

/** Where the bytes of an answer begin, and the size of the whole object. */
function placeOf(answer: SdkAnswer, span: ByteSpan | undefined): { offset: number; size: number } {
  const whole = answer.ContentLength ?? 0;
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '');
  if (match === null) {
    const isWhole = span === undefined || 'suffix' in span || span.offset === 0;
    if (isWhole) return { offset: 0, size: whole };
    throw new LakeError('unsupported', 'the server of the object does not answer reads by range');
  }
  return { offset: Number(match[1]), size: Number(match[3]) };
}

function conditionOf({ condition }: PutOptions): object {
  if (condition === undefined) return {};
  return condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.etag };
}
