import { chmodSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialFor, credentialsFile, readCredentials, storeCredential } from './credentials.ts';

const home = () => ({ XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'lhs-credentials-')) });
const stored = (url: string, token: string) => ({ url, kind: 'session', token }) as const;

describe('stored tokens', () => {
  it('are in a file of their owner alone, and gone after the last one is removed', async () => {
    const env = home();
    await storeCredential('prod', stored('https://a', 'one'), env);
    await storeCredential('test', stored('https://b', 'two'), env);
    expect(statSync(credentialsFile(env)).mode & 0o777).toBe(0o600);
    await storeCredential('prod', undefined, env);
    expect(Object.keys(readCredentials(env))).toEqual(['test']);
    await storeCredential('test', undefined, env);
    expect(() => statSync(credentialsFile(env))).toThrow('ENOENT');
    expect(readCredentials(env)).toEqual({});
  });

  it('are refused if other users may read the file', async () => {
    const env = home();
    await storeCredential('prod', stored('https://a', 'one'), env);
    chmodSync(credentialsFile(env), 0o640);
    expect(() => readCredentials(env)).toThrow('other users of this machine may read it');
  });

  it('go to the URL of their login and to no other', async () => {
    const env = home();
    await storeCredential('prod', stored('https://a.example/', 'one'), env);
    const token = (url: string) => credentialFor(url, 'prod', env)?.token;
    expect(['https://a.example', 'https://A.example:443/'].map(token)).toEqual(['one', 'one']);
    const others = ['http://a.example', 'https://a.example:8443', 'https://a.example.evil'];
    expect([...others, 'https://a.example/path', 'grpcs://a.example'].map(token)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });

  it('of the profile in force come before those of another profile with the same URL', async () => {
    const env = home();
    await storeCredential('ann', stored('https://a', 'of ann'), env);
    await storeCredential('bob', stored('https://a', 'of bob'), env);
    expect(credentialFor('https://a', 'bob', env)?.token).toBe('of bob');
    expect(credentialFor('https://a', undefined, env)?.token).toBe('of ann');
  });

  it('name the command that renews an expired session', async () => {
    const env = home();
    const expired = { ...stored('https://a', 'one'), expires_at: '2026-01-01T00:00:00Z' };
    await storeCredential('prod', expired, env);
    expect(() => credentialFor('https://a', 'prod', env)).toThrow(
      expect.objectContaining({
        code: 'unauthenticated',
        hint: expect.stringContaining('lhs login --profile prod'),
      }),
    );
  });
});
