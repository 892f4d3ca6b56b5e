import { Client, credentials, loadPackageDefinition, Metadata, status } from '@grpc/grpc-js';
import { decodeMessage, encodeMessage, METHODS } from '@lakehouse-search/client/internal';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { CallRecord } from '@lakehouse-search/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedNotes, serveNotes } from './served-notes.ts';

let served: ServedNotes;
let client: Client;
const records: CallRecord[] = [];
beforeAll(async () => {
  served = await serveNotes({ observer: { ended: (record) => records.push(record) } });
  client = new Client(served.grpcUrl.slice('grpc://'.length), credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await served.close();
});

const same = (bytes: Buffer) => bytes;

/** Calls a method with raw bytes. */
function call(
  path: string,
  bytes: Uint8Array,
  metadata = new Metadata(),
  deadline?: number,
  own = client,
) {
  return new Promise<Buffer>((resolve, reject) => {
    const options = deadline === undefined ? {} : { deadline };
    own.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, options, (error, out) =>
      error === null ? resolve(out!) : reject(error),
    );
  });
}

describe('a gRPC call', () => {
  const { search } = METHODS;

  it('has the status of the error and its code in the details', async () => {
    const bytes = encodeMessage(search.input, { index: 'none' });
    const error = (await call(search.path, bytes).catch((thrown) => thrown)) as {
      code: number;
      details: string;
      metadata: Metadata;
    };
    expect([error.code, error.details]).toEqual([
      status.NOT_FOUND,
      expect.stringContaining('none'),
    ]);
    const [details] = error.metadata.get('grpc-status-details-bin');
    expect(String(details)).toContain('index_not_found');
  });

  it('refuses unknown fields, damaged bytes and unknown methods', async () => {
    const failed = (path: string, ...bytes: number[]) =>
      call(path, Uint8Array.from(bytes)).catch(({ code }) => code);
    expect(await failed(search.path, 0x98, 0x06, 0x01)).toBe(status.INVALID_ARGUMENT);
    expect(await failed(search.path, 0x0a, 0x7f)).toBe(status.INVALID_ARGUMENT);
    expect(await failed('/lhs.v1.Search/Nothing')).toBe(status.UNIMPLEMENTED);
  });

  it('has the same answer from the cache of answers as from the engine', async () => {
    const cached = await serveNotes({}, { memory: { results: 2 ** 20 } });
    const remote = createRemote({ url: cached.grpcUrl });
    const request = { index: 'notes', query: '*:*', facets: { fields: ['org'] } };
    const untimed = { took_ms: 0, lag_checked_ms: 0, lag_snapshots: 0 };
    const content = (answer: object) => ({ ...answer, ...untimed });
    const first = content(await cached.backend.search(request));
    for (let call = 0; call < 3; call++) {
      expect(content(await remote.search(request))).toEqual(first);
    }
    await remote.close();
    await cached.close();
  });

  it('has an error with half a character, also if its request is compressed', async () => {
    const gzip = { 'grpc.default_compression_algorithm': 2 };
    const address = served.grpcUrl.slice('grpc://'.length);
    const packing = new Client(address, credentials.createInsecure(), gzip);
    const tree = { term: { 'no\ud800': 'x' } };
    const bytes = encodeMessage(search.input, { index: 'notes', ast: tree });
    for (const own of [client, packing]) {
      const error = await call(search.path, bytes, new Metadata(), undefined, own).catch((e) => e);
      expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
      expect(error.details).toContain('no\ufffd');
    }
    packing.close();
  });

  it('ends at its deadline', async () => {
    const request = { index: 'notes', min_snapshot: '1234567890123', wait_ms: 600_000 };
    const bytes = encodeMessage(search.input, request);
    const failed = call(search.path, bytes, new Metadata(), Date.now() + 50);
    await expect(failed).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });

  it('answers aggregations as the interface writes them: JSON texts', async () => {
    const { input, output, path } = METHODS.aggregate;
    const aggs = '{"by_org": {"Terms": {"field": "org", "size": 2}}}';
    const bytes = await call(path, encodeMessage(input, { index: 'notes', query: '*:*', aggs }));
    expect(decodeMessage(output, bytes, 'response')).toMatchObject({
      results: { by_org: { buckets: [{ key: 'acme', doc_count: 2 }, { key: 'rival' }] } },
      failed_shards: 0,
    });
    expect(bytes.toString('latin1')).toContain('{"by_org":{"buckets"');
  });
});

describe('a gRPC call with a trace', () => {
  it('is a span of it, in its record and its initial metadata', async () => {
    records.length = 0;
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const metadata = new Metadata();
    metadata.set('traceparent', `00-${trace}-${parent}-00`);
    const { path, input } = METHODS.listIndexes;
    const bytes = Buffer.from(encodeMessage(input, {}));
    const sent = client.makeUnaryRequest(path, same, same, bytes, metadata, {}, () => {});
    const initial = await new Promise<Metadata>((resolve) => sent.on('metadata', resolve));
    await expect.poll(() => records.length).toBe(1);
    const [{ span_id, ...record }] = records;
    expect(record).toMatchObject({ trace_id: trace, parent_span_id: parent });
    expect(initial.get('traceresponse')).toEqual([`00-${trace}-${span_id}-00`]);
  });
});

describe('a gRPC server', () => {
  it('describes all services to clients by reflection', async () => {
    const { getServiceNames, call } = await reflectionClient();
    expect(getServiceNames).toEqual(
      expect.arrayContaining([
        'grpc.health.v1.Health',
        ...['lhs.v1.Admin', 'lhs.v1.Lookup', 'lhs.v1.Search', 'lhs.v1.Write'],
      ]),
    );
    expect(call).toContain('SearchRequest');
  });

  it('says that it is healthy', async () => {
    const { service } = await import('grpc-health-check');
    const { Health } = loadPackageDefinition({ Health: service }) as never as {
      Health: new (
        address: string,
        credentials: unknown,
      ) => Client & {
        check(
          request: object,
          done: (error: Error | null, answer: { status: string }) => void,
        ): void;
      };
    };
    const address = served.grpcUrl.slice('grpc://'.length);
    const health = new Health(address, credentials.createInsecure());
    const answer = await new Promise<{ status: string }>((resolve, reject) =>
      health.check({ service: 'lhs.v1.Search' }, (error, value) =>
        error === null ? resolve(value) : reject(error),
      ),
    );
    health.close();
    expect(answer.status).toBe('SERVING');
  });
});

/** What reflection says: names of services, and the file of a message as bytes. */
async function reflectionClient() {
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const ask = (field: number, text: string) =>
    new Promise<string>((resolve, reject) => {
      const stream = client.makeBidiStreamRequest(path, same, same, new Metadata(), {});
      stream.on('error', reject);
      stream.on('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
      stream.write(Buffer.from([(field << 3) | 2, text.length, ...Buffer.from(text)]));
      stream.end();
    });
  const names = await ask(7, '*');
  const file = await ask(4, 'lhs.v1.SearchRequest');
  return { getServiceNames: names.match(/(lhs|grpc.health)\.v1\.\w+/g), call: file };
}
