import { open } from 'node:fs/promises';
import { eachOf } from '../base/each-of.ts';
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type {
  ByteSpan,
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectStore,
  PutOptions,
} from './object-store.ts';
import { bodyOf, type S3Requests, type S3Result } from './s3-requests.ts';
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
      read: async (answer) => ({
        key,
        etag: answer.ETag ?? '',
        ...placeOf(answer, span),
        bytes: await bodyOf(answer, maxBytes),
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
    if (!(body instanceof Uint8Array)) return this.#putFile(key, body.file, options);
    const result = await this.#requests.send({
      ...this.#at(key, options.signal),
      command: 'PutObjectCommand',
      input: { ...conditionOf(options), Body: body, ContentLength: body.length },
      read: ({ ETag = '' }) => ({ key, size: body.length, etag: ETag }),
    });
    return this.#written(result, key, body, options);
  }

  async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    let token: string | undefined;
    const seen = new Set<string>();
    do {
      const page = await this.#page(prefix, token, options);
      for (const { Prefix = '' } of page.CommonPrefixes ?? []) {
        yield { key: Prefix.slice(this.#prefix.length), size: 0, etag: '' };
      }
      for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? []) {
        yield { key: Key.slice(this.#prefix.length), size: Size, etag: ETag };
      }
      token = page.NextContinuationToken;
      if (token !== undefined && seen.has(token))
        throw this.#fault(prefix, 'its pages have no end');
      seen.add(token ?? '');
    } while (token !== undefined);
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
  ): Promise<SdkAnswer> {
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
      read: (answer) => answer,
    });
    return this.#done(result, prefix);
  }

  async #putFile(key: string, file: string, options: PutOptions): Promise<ObjectInfo | 'refused'> {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const part = async (offset: number, length: number): Promise<Uint8Array> => {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      if (bytesRead === length) return bytes;
      throw new LakeError('invalid_argument', `file "${file}" changed while it was sent`, { file });
    };
    if (size <= 2 * LIMITS.s3PartBytes) return await this.put(key, await part(0, size), options);
    return await this.#putParts(key, size, part, options);
  }

  async #putParts(
    key: string,
    size: number,
    part: (offset: number, length: number) => Promise<Uint8Array>,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    const at = this.#at(key, options.signal);
    const begun = await this.#requests.send({
      ...at,
      command: 'CreateMultipartUploadCommand',
      read: ({ UploadId }) => UploadId,
    });
    const id = this.#done(begun, key);
    try {
      const bytes = Math.max(LIMITS.s3PartBytes, Math.ceil(size / MOST_PARTS));
      const offsets = Array.from({ length: Math.ceil(size / bytes) }, (_, i) => i * bytes);
      const parts = await eachOf(offsets, LIMITS.s3PartsAtOnce, async (offset) => {
        const body = await part(offset, Math.min(bytes, size - offset));
        const number = offset / bytes + 1;
        const sent = await this.#requests.send({
          ...at,
          command: 'UploadPartCommand',
          input: { UploadId: id, PartNumber: number, Body: body, ContentLength: body.length },
          read: ({ ETag }) => ({ ETag, PartNumber: number }),
        });
        return this.#done(sent, key);
      });
      const result = await this.#requests.send({
        ...at,
        command: 'CompleteMultipartUploadCommand',
        input: { UploadId: id, MultipartUpload: { Parts: parts }, ...conditionOf(options) },
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

  async #abandon(key: string, id: string | undefined): Promise<void> {
    await this.#requests.send({
      ...this.#at(key, undefined),
      command: 'AbortMultipartUploadCommand',
      input: { UploadId: id },
      read: () => null,
    });
  }

  /** A refusal after an attempt whose answer was lost may be our own object. */
  async #written(
    result: S3Result<ObjectInfo>,
    key: string,
    body: Uint8Array,
    { condition, signal }: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    if (result.kind !== 'refused') return this.#done(result, key);
    if (!result.retried || condition !== 'absent') return 'refused';
    const there = await this.get(key, { maxBytes: body.length, signal }).catch(() => 'missing');
    if (typeof there === 'string' || !there.bytes.equals(body)) return 'refused';
    return { key, size: there.size, etag: there.etag };
  }

  #done<T>(result: S3Result<T>, key: string): T {
    if (result.kind === 'done') return result.value;
    throw this.#fault(key, result.kind === 'missing' ? 'it is not there' : 'the server refuses it');
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
      Math.max('suffix' in span ? span.suffix : span.length, LIMITS.s3PartBytes);

function rangeHeader(span: ByteSpan): string {
  if ('suffix' in span) return `bytes=-${span.suffix}`;
  return `bytes=${span.offset}-${span.offset + span.length - 1}`;
}

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
