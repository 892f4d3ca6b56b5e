import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fault of one answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** Half of the body, then the connection ends as if all had been sent, or is reset. */
  | { readonly kind: 'short' | 'reset' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** The request is carried out later. */
  | { readonly kind: 'held'; readonly until: Promise<void> }
  /** The request is carried out, its answer is lost; or the connection stays without one. */
  | { readonly kind: 'lost' | 'silent' }
  /** One bit of the body is another one. */
  | { readonly kind: 'flip' };

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** An object of the server. */
export interface Stored {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/**
 * An S3 server in this process: objects in memory, path-style addresses, signatures (SigV4)
 * checked, reads by range, conditional writes, uploads in parts, listings in pages, faults on
 * request.
 */
export class S3Server {
  readonly keys = { accessKeyId: 'test-access', secretAccessKey: 'test/secret+key' };
  readonly buckets = new Map<string, Map<string, Stored>>();
  readonly seen: Seen[] = [];
  /** The fault of a request, or null. */
  fault: (request: Seen) => Fault | null = () => null;
  /** Session tokens that are accepted; null: none is checked. */
  tokens: ReadonlySet<string> | null = null;
  /** Whether requests that are not signed can read. */
  isPublic = false;
  region = 'us-east-1';
  /** Writes under a condition are carried out in any case, as old servers do. */
  ignoresConditions = false;
  pageKeys = 1000;
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(...buckets: readonly string[]): Promise<S3Server> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const s3 = new S3Server(server);
    for (const bucket of buckets) s3.buckets.set(bucket, new Map());
    return s3;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The environment of a client of this server. */
  get env(): Readonly<Record<string, string>> {
    return {
      AWS_ENDPOINT_URL_S3: this.endpoint,
      AWS_REGION: this.region,
      AWS_ACCESS_KEY_ID: this.keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.keys.secretAccessKey,
    };
  }

  put(bucket: string, key: string, bytes: Uint8Array): void {
    this.buckets.get(bucket)?.set(key, stored(Buffer.from(bytes)));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://s3');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const { method = 'GET', headers } = request;
    const seen = { method, bucket, key: rest.join('/'), query: url.searchParams, headers };
    this.seen.push(seen);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const fault = this.fault(seen);
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'held') await fault.until;
    const reply =
      fault?.kind === 'status'
        ? failed(fault.status, fault.code)
        : (this.#refused(request, url, body) ?? this.#serve(seen, body));
    if (fault?.kind === 'lost') return void request.socket.destroy();
    if (fault?.kind === 'silent') return;
    send(response, method, reply, fault);
  }

  #refused(request: IncomingMessage, url: URL, body: Buffer): Reply | null {
    const { authorization = '', ...headers } = request.headers;
    const match = AUTHORIZATION.exec(authorization);
    if (match === null) {
      const isRead = /^(?:GET|HEAD)$/.test(request.method!) && authorization === '';
      return this.isPublic && isRead ? null : failed(403, 'AccessDenied');
    }
    const [, who = '', date = '', region = '', signed = '', signature] = match;
    if (who !== this.keys.accessKeyId) return failed(403, 'InvalidAccessKeyId');
    if (region !== this.region) {
      const wrong = failed(301, 'PermanentRedirect');
      return { ...wrong, headers: { ...wrong.headers, 'x-amz-bucket-region': this.region } };
    }
    const token = headers['x-amz-security-token'];
    if (this.tokens !== null && !this.tokens.has(String(token))) return failed(400, 'ExpiredToken');
    const hash = String(headers['x-amz-content-sha256']);
    if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) {
      return failed(400, 'XAmzContentSHA256Mismatch');
    }
    const canonical = [
      request.method,
      url.pathname,
      [...url.searchParams]
        .map(([name, value]) => `${encode(name)}=${encode(value)}`)
        .sort()
        .join('&'),
      ...signed.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
      '',
      signed,
      hash,
    ].join('\n');
    const scope = `${date}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = [date, region, 's3', 'aws4_request'].reduce<Buffer | string>(
      (secret, part) => hmac(secret, part),
      `AWS4${this.keys.secretAccessKey}`,
    );
    return hmac(key, text).toString('hex') === signature
      ? null
      : failed(403, 'SignatureDoesNotMatch');
  }

  #serve({ method, bucket, key, query, headers }: Seen, body: Buffer): Reply {
    const objects = this.buckets.get(bucket);
    if (objects === undefined) return failed(404, 'NoSuchBucket');
    if (query.has('delete')) return remove(objects, body);
    if (key === '') return this.#list(objects, query);
    if (query.has('uploads')) return this.#begin();
    const id = query.get('uploadId');
    if (id !== null) return this.#part(objects, { method, key, id, query, headers }, body);
    if (method === 'PUT') {
      return write(objects, key, this.ignoresConditions ? {} : headers, body);
    }
    if (method === 'DELETE') return { status: objects.delete(key) ? 204 : 204 };
    return read(objects.get(key), headers);
  }

  #begin(): Reply {
    const id = `upload-${this.#uploads.size}`;
    this.#uploads.set(id, new Map());
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  /** Uploads that were begun and neither completed nor given up. */
  get openUploads(): number {
    return this.#uploads.size;
  }

  #part(
    objects: Map<string, Stored>,
    at: Pick<Seen, 'method' | 'key' | 'query' | 'headers'> & { readonly id: string },
    body: Buffer,
  ): Reply {
    const parts = this.#uploads.get(at.id);
    if (parts === undefined) return failed(404, 'NoSuchUpload');
    if (at.method === 'PUT') {
      parts.set(Number(at.query.get('partNumber')), body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (at.method === 'DELETE') {
      this.#uploads.delete(at.id);
      return { status: 204 };
    }
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map((m) => Number(m[1]));
    const whole = Buffer.concat(numbers.map((number) => parts.get(number) ?? Buffer.alloc(0)));
    const written = write(objects, at.key, at.headers, whole);
    if (written.status !== 200) return written;
    this.#uploads.delete(at.id);
    const etag = written.headers?.etag ?? '';
    return xml(
      `<CompleteMultipartUploadResult><ETag>${escaped(etag)}</ETag></CompleteMultipartUploadResult>`,
    );
  }

  #list(objects: ReadonlyMap<string, Stored>, query: URLSearchParams): Reply {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const delimiter = query.get('delimiter');
    const entries = new Map<string, Stored | null>();
    for (const key of [...objects.keys()].sort()) {
      if (!key.startsWith(prefix)) continue;
      const slash = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      if (slash < 0) entries.set(key, objects.get(key) ?? null);
      else entries.set(key.slice(0, slash + 1), null);
    }
    const names = [...entries.keys()].filter((name) => name > after);
    const page = names.slice(0, this.pageKeys);
    const items = page.map((name) => {
      const object = entries.get(name);
      if (!object) return `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`;
      const { etag, bytes } = object;
      const size = `<Size>${bytes.length}</Size><ETag>${escaped(etag)}</ETag>`;
      return `<Contents><Key>${escaped(name)}</Key>${size}</Contents>`;
    });
    const more =
      names.length > page.length
        ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>`
        : '';
    return xml(`<ListBucketResult>${items.join('')}${more}</ListBucketResult>`);
  }
}

const AUTHORIZATION = new RegExp(
  '^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d+)/([^/]+)/s3/aws4_request, *' +
    'SignedHeaders=([^,]+), *Signature=(\\w+)$',
);
const sha256 = (text: Buffer | string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string) =>
  createHmac('sha256', key).update(text).digest();
const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
const stored = (bytes: Buffer): Stored => ({ bytes, etag: etagOf(bytes) });
const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function xml(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function failed(status: number, code: string): Reply {
  return { ...xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`), status };
}

function write(
  objects: Map<string, Stored>,
  key: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Reply {
  const there = objects.get(key);
  if (headers['if-none-match'] === '*' && there) return failed(412, 'PreconditionFailed');
  const wanted = headers['if-match'];
  if (wanted !== undefined && there === undefined) return failed(404, 'NoSuchKey');
  if (wanted !== undefined && wanted !== there?.etag) return failed(412, 'PreconditionFailed');
  const object = stored(body);
  objects.set(key, object);
  return { status: 200, headers: { etag: object.etag } };
}

function read(object: Stored | undefined, headers: IncomingMessage['headers']): Reply {
  if (object === undefined) return failed(404, 'NoSuchKey');
  const { bytes, etag } = object;
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== etag) return failed(412, 'PreconditionFailed');
  const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (range === null) return { status: 200, headers: { etag }, body: bytes };
  const [, from = '', to = ''] = range;
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1);
  if (start >= bytes.length) return failed(416, 'InvalidRange');
  const place = `bytes ${start}-${end - 1}/${bytes.length}`;
  return {
    status: 206,
    headers: { etag, 'content-range': place },
    body: bytes.subarray(start, end),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function remove(objects: Map<string, Stored>, body: Buffer): Reply {
  for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]*)</g)) {
    objects.delete(key.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? ''));
  }
  return xml('<DeleteResult></DeleteResult>');
}

function send(response: ServerResponse, method: string, reply: Reply, fault: Fault | null): void {
  const body = Buffer.from(reply.body ?? '');
  if (fault?.kind === 'flip' && body.length > 0) body[body.length >> 1] ^= 1;
  const length = { 'content-length': String(body.length) };
  response.writeHead(reply.status, { ...length, 'accept-ranges': 'bytes', ...reply.headers });
  if (method === 'HEAD') return void response.end();
  if (fault?.kind !== 'short' && fault?.kind !== 'reset') return void response.end(body);
  response.write(body.subarray(0, body.length >> 1), () => {
    if (fault.kind === 'reset') response.socket?.resetAndDestroy();
    else response.socket?.destroy();
  });
}
