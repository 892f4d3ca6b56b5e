import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { openAccess } from '../../access/open-access.ts';
import { Calls, type CallsOptions } from '../../calls/calls.ts';
import { BasicCredentials } from './basic-credentials.ts';

const ANN = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
const arrival = { request_id: 'r', remote: '::1', transport: 'rest' } as const;

/** Credentials over a service with this login, and how often it was called. */
function credentialsOver(login: () => Promise<object>) {
  const count = { calls: 0 };
  const accounts = {
    login: () => {
      count.calls++;
      return login();
    },
  };
  const options = { backend: {}, accounts, access: openAccess } as unknown as CallsOptions;
  return { count, credentials: new BasicCredentials(new Calls(options)) };
}

describe('Basic credentials', () => {
  it('of several requests at once are one attempt to log in', async () => {
    const gate = Promise.withResolvers<object>();
    const { count, credentials } = credentialsOver(() => gate.promise);
    const headers = [1, 2, 3].map(() => credentials.headerOf(ANN, arrival));
    gate.resolve({ token: 't', expires_at: new Date(Date.now() + 60_000).toISOString() });
    expect(await Promise.all(headers)).toEqual(Array(3).fill('Bearer t'));
    expect(await credentials.headerOf(ANN, arrival)).toBe('Bearer t');
    expect(count.calls).toBe(1);
  });

  it('are an attempt each time that they are refused', async () => {
    const refused = () => Promise.reject(new LhsError('unauthenticated', 'no'));
    const { count, credentials } = credentialsOver(refused);
    for (let i = 0; i < 2; i++) await expect(credentials.headerOf(ANN, arrival)).rejects.toThrow();
    expect(count.calls).toBe(2);
  });

  it('are no attempts at a service that is open', async () => {
    const open = () => Promise.reject(new LhsError('unsupported', 'no accounts'));
    const { count, credentials } = credentialsOver(open);
    for (let i = 0; i < 3; i++) expect(await credentials.headerOf(ANN, arrival)).toBe(ANN);
    expect(count.calls).toBe(1);
  });
});
