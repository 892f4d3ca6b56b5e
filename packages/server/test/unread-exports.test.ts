/** Exports whose clients stop reading. */
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedLake } from './support/exported-lake.ts';
import { startService, type TestService } from './support/service.ts';

const READER_MS = 300;
let service: TestService;
beforeAll(async () => {
  const values = { threads: 1, 'limits.exports_per_caller': 2, 'limits.reader_ms': READER_MS };
  service = await startService({ auth: false, prepare: exportedLake, values });
});
afterAll(() => service?.stop());

/** Sends an export over a connection of its own. */
function exporting(): ClientRequest {
  const headers = { 'content-type': 'application/json' };
  const url = `${service.server.url}/v1/index:export`;
  const sent = request(url, { method: 'POST', headers, agent: false });
  sent.end('{"index":"big"}');
  return sent;
}

async function running(): Promise<number> {
  const text = await (await fetch(`${service.server.url}/metrics`)).text();
  return Number(/^lhs_running_calls (\d+)$/m.exec(text)?.[1]);
}

describe('an export', () => {
  it('ends when its client takes nothing, and frees its share', async () => {
    const sent = [exporting(), exporting()];
    const responses = await Promise.all(sent.map(async (one) => (await once(one, 'response'))[0]));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const third = exporting();
    const [{ statusCode }] = await once(third, 'response');
    expect(statusCode).toBe(429);
    for (const response of responses) response.on('error', () => {});
    await expect.poll(running, { timeout: 60_000 }).toBe(0);
    for (const one of [...sent, third]) one.destroy();
  });

  it('over gRPC ends likewise', async () => {
    const client = createRemote({ url: `grpc://${service.server.grpc}` });
    const documents = client.exportDocuments({ index: 'big' })[Symbol.asyncIterator]();
    expect((await documents.next()).done).toBe(false);
    expect(await running()).toBe(1);
    await expect.poll(running, { timeout: 60_000 }).toBe(0);
    await documents.return?.();
    await client.close();
  });
});
