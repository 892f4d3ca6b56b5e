import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOver, grpcCalls, restCalls } from '../support/call-over.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ values: { 'limits.logins_per_minute': 6 } });
});
afterAll(() => service?.stop());

describe('the limit of logins from an address', () => {
  it('counts REST and all connections of gRPC together, and says when to come again', async () => {
    const { url, grpc } = service.server;
    const [one, two] = [1, 2].map(() =>
      grpcCalls(grpc, undefined, { 'grpc.use_local_subchannel_pool': 1 }),
    );
    const doors: CallOver[] = [restCalls(url), one.call, two.call];
    const statuses: number[] = [];
    // Users differ: the limit of one user's attempts is another one.
    for (let n = 0; n < 9; n++) {
      const request = { username: `user${n}`, password: 'wrong password' };
      statuses.push((await doors[n % 3]('login', request)).status);
    }
    one.close();
    two.close();
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429, 429]);
    const body = JSON.stringify({ username: 'admin', password: 'long-enough' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/login`, { method: 'POST', headers, body });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
