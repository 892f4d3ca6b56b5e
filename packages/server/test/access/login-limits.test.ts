import { request } from 'node:http';
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loginAttempts } from '../../src/access/login-attempts.ts';
import { type CallOver, grpcCalls, restCalls } from '../support/call-over.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let patient: TestService;
beforeAll(async () => {
  service = await startService({ values: { 'limits.logins_per_minute': 6 } });
  patient = await startService({});
});
afterAll(async () => {
  await service?.stop();
  await patient?.stop();
});

/** The status of a login whose connection comes from this address of the loopback network. */
function loginFrom(localAddress: string, password: string): Promise<number> {
  const { hostname, port } = new URL(patient.server.url);
  const headers = { 'content-type': 'application/json' };
  const options = { hostname, port, path: '/v1/login', method: 'POST', localAddress, headers };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ username: 'admin', password }));
  });
}

describe('the limit of attempts at a user', () => {
  it('refuses the address that tries passwords, and lets the user in from others', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push(await loginFrom('127.0.0.66', `wrong ${n}`));
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect(await loginFrom('127.0.0.66', 'long-enough')).toBe(429);
    expect(await loginFrom('127.0.0.77', 'long-enough')).toBe(200);
  });
});

describe('the limit of attempts at this process', () => {
  it('slows a user with many wrong passwords down, and forgives an address', async () => {
    let slowed = 0;
    const attempts = loginAttempts(3, async () => slowed++);
    const wrong = new LhsError('unauthenticated', 'wrong');
    const fail = (from: string) => attempts.run('ann', from, () => Promise.reject(wrong));
    for (const from of ['a', 'a', 'b']) await expect(fail(from)).rejects.toBe(wrong);
    expect(slowed).toBe(0);
    expect(await attempts.run('ann', 'a', async () => 'session')).toBe('session');
    expect(slowed).toBe(1);
    for (const from of ['a', 'a', 'a']) await expect(fail(from)).rejects.toBe(wrong);
    await expect(fail('a')).rejects.toMatchObject({
      code: 'overloaded',
      details: { retry_after_s: expect.any(Number) },
    });
    expect(await attempts.run('ann', 'b', async () => 'session')).toBe('session');
    expect(await attempts.run('bob', 'a', async () => 'session')).toBe('session');
    expect(slowed).toBe(5);
  });
});

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
