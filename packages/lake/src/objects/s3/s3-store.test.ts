import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { S3Server, type Seen } from '../../../test/s3-server.ts';
import type { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { ObjectInfo } from '../object-store.ts';
import { S3Requests } from './s3-requests.ts';
import { type Environment, s3Settings } from './s3-settings.ts';
import { S3Store } from './s3-store.ts';

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start('lake');
});
afterEach(() => {
  server.fault = () => null;
  server.tokens = null;
  server.region = 'us-east-1';
  server.isPublic = false;
  server.buckets.get('lake')?.clear();
  server.seen.length = 0;
});
afterAll(() => server.close());

const storeOf = (env: Environment = server.env, bucket = 'lake') =>
  new S3Store(new S3Requests(s3Settings({}, env, null), 4), bucket);

const all = async (entries: AsyncIterable<ObjectInfo>) =>
  (await Array.fromAsync(entries)).map(({ key }) => key);

/** The first `times` requests that fit get the fault. */
function failing(times: number, fault: ReturnType<S3Server['fault']>, fits = (_: Seen) => true) {
  let left = times;
  server.fault = (seen) => (fits(seen) && left-- > 0 ? fault : null);
}

const BYTES = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));

describe('an S3 store', () => {
  it.each(['absent', 'replaced'])(
    'takes its own %s object, of a lost answer, for its own',
    async (kind) => {
      const before = kind === 'absent' ? null : await storeOf().put('k', Buffer.from('old'));
      const condition = before === null ? 'absent' : { etag: (before as ObjectInfo).etag };
      failing(2, { kind: 'lost' }, ({ method }) => method === 'PUT');
      const put = (text: string) => storeOf().put('k', Buffer.from(text), { condition });
      expect(await put('mine')).toMatchObject({ size: 4 });
      expect(await put('hers')).toBe('refused');
    },
  );

  it('reads a public bucket without credentials', async () => {
    server.put('lake', 'p/open', BYTES);
    const { AWS_ENDPOINT_URL_S3 } = server.env;
    const store = storeOf({ AWS_ENDPOINT_URL_S3, AWS_NO_SIGN_REQUEST: '1' });
    await expect(store.get('p/open')).rejects.toMatchObject({ code: 'permission_denied' });
    server.isPublic = true;
    expect(await store.get('p/open')).toMatchObject({ bytes: BYTES });
    expect(await all(store.list('p/'))).toEqual(['p/open']);
    await expect(store.put('p/open', BYTES)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('lists page by page', async () => {
    server.pageKeys = 7;
    const keys = Array.from({ length: 20 }, (_, i) => `p/${i}/x&y`).sort();
    for (const key of keys) server.put('lake', key, BYTES);
    expect(await all(storeOf().list('p/'))).toEqual(keys);
    expect(await all(storeOf().list('p/', { oneLevel: true }))).toHaveLength(20);
    server.pageKeys = 1000;
  });

  it('deletes many at once; missing ones are no fault', async () => {
    const keys = Array.from({ length: 1500 }, (_, i) => `d/${i}<&>`);
    for (const key of keys) server.put('lake', key, BYTES);
    server.put('lake', 'kept', BYTES);
    await storeOf().delete([...keys, 'none']);
    expect(await all(storeOf().list(''))).toEqual(['kept']);
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('sends a large file in parts, and leaves no upload behind after a failure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-s3-'));
    const file = join(folder, 'large');
    const bytes = Buffer.alloc(3 * LIMITS.storePartBytes + 17, 'lake house ');
    writeFileSync(file, bytes);
    try {
      failing(2, { kind: 'status', status: 503, code: 'SlowDown' }, ({ query }) =>
        query.has('partNumber'),
      );
      expect(await storeOf().put('large', { file })).toMatchObject({ size: bytes.length });
      expect(server.buckets.get('lake')?.get('large')?.bytes.equals(bytes)).toBe(true);
      failing(
        99,
        { kind: 'status', status: 403, code: 'AccessDenied' },
        ({ query }) => query.get('partNumber') === '2',
      );
      await expect(storeOf().put('other', { file })).rejects.toHaveProperty(
        'code',
        'permission_denied',
      );
      expect(server.openUploads).toBe(0);
      expect(server.buckets.get('lake')?.has('other')).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('passing faults of an S3 server', () => {
  it.each([
    { kind: 'status', status: 500, code: 'InternalError' },
    { kind: 'status', status: 503, code: 'SlowDown' },
    { kind: 'short' },
    { kind: 'reset' },
    { kind: 'lost' },
  ] as const)('$kind $status: the request is repeated', async (fault) => {
    server.put('lake', 'k', BYTES);
    failing(3, fault);
    expect(await storeOf().get('k')).toMatchObject({ bytes: BYTES });
  });

  it('leave open who wrote an object that a write under a condition found', async () => {
    server.fault = ({ method, key }) => {
      if (key !== 'mine') return null;
      if (method === 'PUT' && server.seen.length === 1) return { kind: 'lost' };
      return method === 'PUT' ? null : { kind: 'status', status: 500, code: 'InternalError' };
    };
    const mine = storeOf().put('mine', BYTES, { condition: 'absent' });
    await expect(mine).rejects.toHaveProperty('reason', 'storage_unreachable');
    expect(server.buckets.get('lake')?.get('mine')?.bytes).toEqual(BYTES);
  });

  it('end after some attempts, and name the place', async () => {
    failing(999, { kind: 'status', status: 503, code: 'SlowDown' });
    const head = storeOf().head('k');
    await expect(head).rejects.toMatchObject({
      reason: 'storage_unreachable',
      message: expect.stringContaining(`"s3://lake/k" at ${server.endpoint}`),
    });
    expect(server.seen).toHaveLength(LIMITS.storeAttempts);
  });

  it('end at once when the caller gives up', async () => {
    failing(999, { kind: 'slow', ms: 60_000 });
    const stop = new AbortController();
    const reading = storeOf().get('k', { signal: stop.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('refusals of an S3 server', () => {
  const refusal = async (store: S3Store) =>
    store.head('k').then(
      () => null,
      ({ reason, message }: LakeError) => ({ reason, message }),
    );

  it.each([
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'permission_denied', /access denied/],
    ['an unknown key', { AWS_ACCESS_KEY_ID: 'nobody' }, 'permission_denied', /access denied/],
    [
      'a wrong region',
      { AWS_REGION: 'eu-north-1' },
      'invalid_argument',
      /set AWS_REGION=us-east-1/,
    ],
    [
      'nobody at the endpoint',
      { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
      'storage_unreachable',
      /cannot be reached.*ECONNREFUSED.*AWS_ENDPOINT_URL_S3/,
    ],
  ])('%s is named with the way out', async (_, env, code, message) => {
    const found = await refusal(storeOf({ ...server.env, ...env }));
    expect(found).toEqual({ reason: code, message: expect.stringMatching(message) });
  });

  it('a bucket that is not there is named', async () => {
    const list = storeOf(server.env, 'other').list('');
    await expect(list.next()).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.stringContaining('there is no bucket "other"'),
    });
  });

  it('a name that no bucket has is named', async () => {
    failing(9, { kind: 'status', status: 400, code: 'InvalidBucketName' });
    await expect(storeOf(server.env, 'bk').get('k')).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: expect.stringContaining('"bk" is no name of a bucket'),
    });
  });

  it('an endpoint that is none is refused', () => {
    for (const endpoint of ['ftp://h', 'http://user:hidden@h', 'nowhere']) {
      const settings = () => s3Settings({ endpoint }, {}, null);
      expect(settings).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
      expect(settings).not.toThrow(/hidden/);
    }
  });

  it('no error shows a secret, whatever the server sends back', async () => {
    const { secretAccessKey, accessKeyId } = server.keys;
    failing(9, { kind: 'status', status: 400, code: `Odd${secretAccessKey}and${accessKeyId}` });
    const error = (await storeOf()
      .get('k')
      .catch((e: Error) => e)) as Error;
    const shown = JSON.stringify([error.message, error.stack, error, error.cause]);
    expect(shown).toContain('***');
    expect(shown).not.toContain(secretAccessKey);
    expect(shown).not.toContain(accessKeyId);
  });
});

describe('credentials that a catalog issues', () => {
  const keys = () => ({
    's3.access-key-id': server.keys.accessKeyId,
    's3.secret-access-key': server.keys.secretAccessKey,
  });

  it('are asked for again when their token has expired', async () => {
    server.put('lake', 'k', BYTES);
    server.tokens = new Set(['second']);
    let renewals = 0;
    const vended = {
      config: { ...keys(), 's3.session-token': 'first' },
      endpoint: server.endpoint,
      renew: async () => {
        renewals++;
        return { ...keys(), 's3.session-token': 'second' };
      },
    };
    const store = new S3Store(new S3Requests(s3Settings({}, {}, vended)), 'lake');
    expect(await store.get('k')).toMatchObject({ bytes: BYTES });
    expect(renewals).toBe(1);
    server.tokens = new Set(['third']);
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('the session token has expired'),
    });
  });

  it('go to the endpoint of the user first, and never to a link-local one of the catalog', () => {
    const vended = (endpoint: string) => ({ config: keys(), endpoint, renew: async () => ({}) });
    const endpoint = (env: Environment, sent: string) => s3Settings({}, env, vended(sent)).endpoint;
    expect(endpoint({}, 'http://store:9000/')).toBe('http://store:9000');
    expect(endpoint({ AWS_ENDPOINT_URL: 'http://own' }, 'http://169.254.169.254')).toBe(
      'http://own',
    );
    for (const bad of ['http://169.254.169.254/x', 'http://[fe80::1]', 'http://[fd00:ec2::254]']) {
      expect(() => endpoint({}, bad)).toThrow(expect.objectContaining({ reason: 'path_refused' }));
    }
    const none = { config: {}, endpoint: 'http://elsewhere', renew: async () => ({}) };
    expect(s3Settings({}, server.env, none).endpoint).toBe(server.endpoint);
    expect(s3Settings({}, {}, none).endpoint).toBeUndefined();
  });
});
