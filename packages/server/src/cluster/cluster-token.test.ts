import { describe, expect, it } from 'vitest';
import { readNodeCall, signNodeCall } from './cluster-token.ts';

const KEY = 'a key of the cluster';
const principal = { subject: 'ann', scopes: ['search'], tenant: 'acme' } as const;

describe('the token of a call inside of a cluster', () => {
  it('carries the caller and the epoch', () => {
    const claims = { principal, epoch: 7 };
    expect(readNodeCall(KEY, signNodeCall(KEY, claims))).toEqual(claims);
    expect(readNodeCall(undefined, signNodeCall(undefined, {}))).toEqual({});
    expect(readNodeCall(undefined, signNodeCall(undefined, { epoch: 7 }))).toEqual({ epoch: 7 });
  });

  it('is refused with another key, a changed claim, after its time, and without a key', () => {
    const token = signNodeCall(KEY, { principal })!;
    const [payload, mac] = token.slice('Node '.length).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = Buffer.from(
      JSON.stringify({ ...claims, principal: { ...principal, tenant: 'b' } }),
    );
    const forged = `Node ${other.toString('base64url')}.${mac}`;
    for (const [key, header] of [
      ['another key', token],
      [KEY, forged],
      [KEY, `Node ${payload}.`],
      [KEY, `Bearer ${payload}.${mac}`],
      [KEY, undefined],
      [undefined, token],
      [KEY, signNodeCall(undefined, { epoch: 7 })],
      [undefined, 'Node-Epoch seven'],
    ] as const) {
      expect(() => readNodeCall(key, header)).toThrow('no valid token');
    }
    expect(() => readNodeCall(KEY, token, Date.now() + 10 * 60_000)).toThrow('no valid token');
    expect(() => signNodeCall(undefined, { principal })).toThrow('without a key');
  });
});
