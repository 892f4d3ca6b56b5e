import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAdmin } from '../../src/access/first-admin.ts';
import { outsideTokens, type VerifyOutside } from '../../src/access/outside-tokens.ts';
import { hashPassword, verifyPassword } from '../../src/access/passwords.ts';
import { Sessions } from '../../src/access/sessions.ts';
import { StoredAccess } from '../../src/access/stored-access.ts';
import { StoredAccounts } from '../../src/access/stored-accounts.ts';
import type { IssuerConfig } from '../../src/config/server-config.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-credentials-'));
const MINUTE = 60_000;
const START = 1_800_000_000_000;
let now = START;
let store: Store;
let access: StoredAccess;
let accounts: StoredAccounts;
let outside: VerifyOutside;
let outsideKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
const ISSUER = 'https://issuer.example';

beforeAll(async () => {
  store = await openStore({ file: join(folder, 'server.db') });
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  outsideKey = privateKey;
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }];
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys }));
  const config: IssuerConfig = {
    name: 'okta',
    issuer: ISSUER,
    audience: 'lhs',
    jwks: { file: join(folder, 'keys.json') },
    claims: { roles: 'realm.groups', tenant: 'org' },
    role_names: { team: 'reader' },
  };
  outside = outsideTokens([config]);
  const sessions = new Sessions(store.signingKeys, () => now);
  const options = { store, sessions, outside, now: () => now };
  access = new StoredAccess(options);
  accounts = new StoredAccounts({ ...options, changed: () => access.forget() });
  await store.users.add('ann', await hashPassword('correct horse'), ['reader']);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const caller = (header: string | undefined) => access.authenticate(header);
const refused = (header: string | undefined) =>
  expect(caller(header)).rejects.toMatchObject({ code: 'unauthenticated' });
const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const session = () => accounts.login({ username: 'ann', password: 'correct horse' });

describe('passwords', () => {
  it('match their hash alone, and a missing hash never', async () => {
    const hash = await hashPassword('a long password');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await verifyPassword('a long password', hash)).toBe(true);
    expect(await verifyPassword('a long passwore', hash)).toBe(false);
    expect(await verifyPassword('', null)).toBe(false);
    expect(await hashPassword('a long password')).not.toBe(hash);
  });

  it('match a hash of scrypt, which a Node without argon2id writes', async () => {
    // written by hashlib.scrypt of Python
    const hash =
      '$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$9R0AdUe8D4ObsUoywGB54L40KU9GUb80/aNkUEKygFA';
    expect(await verifyPassword('a long password', hash)).toBe(true);
    expect(await verifyPassword('a long passwore', hash)).toBe(false);
  });
});

describe('the first admin', () => {
  it('is made once, with the password of the environment or a generated one', async () => {
    const other = await openStore({ file: join(folder, 'seed.db') });
    const generated = await seedAdmin(other.users, undefined);
    expect(generated).toMatch(/^[\w-]{24}$/);
    expect(await seedAdmin(other.users, undefined)).toBeUndefined();
    const admin = await other.users.get('admin');
    expect(admin?.roles).toEqual(['admin']);
    expect(await verifyPassword(generated!, admin!.password)).toBe(true);
    await other.users.remove('admin');
    expect(await seedAdmin(other.users, 'from the environment')).toBeUndefined();
    const second = await other.users.get('admin');
    expect(await verifyPassword('from the environment', second!.password)).toBe(true);
    await other.close();
  });
});

describe('a session', () => {
  it('has the roles that the user has now, and ends with the user', async () => {
    await accounts.setRoles({ subject: 'eve', roles: ['reader'] });
    await store.users.setPassword('eve', await hashPassword('correct horse'));
    const { token } = await accounts.login({ username: 'eve', password: 'correct horse' });
    const scopes = async () => (await caller(`Bearer ${token}`)).scopes;
    expect(await scopes()).toEqual(['search', 'index_read']);
    await accounts.setRoles({ subject: 'eve', roles: ['operator'] });
    expect(await scopes()).toEqual(['index_read', 'ops']);
    await store.users.remove('eve');
    access.forget();
    await refused(`Bearer ${token}`);
  });

  it('expires after 15 minutes, to the second', async () => {
    now = START + MINUTE;
    const { token, expires_at } = await session();
    expect(Date.parse(expires_at)).toBe(now + 15 * MINUTE);
    now = Date.parse(expires_at) - 1000;
    expect((await caller(`Bearer ${token}`)).subject).toBe('ann');
    now = Date.parse(expires_at);
    await refused(`Bearer ${token}`);
  });

  it('stays valid when the key changes after a day', async () => {
    const before = await session();
    now = START + (24 * 60 - 1) * MINUTE;
    const last = await session();
    now += 2 * MINUTE;
    const next = await session();
    const kid = ({ token }: { token: string }) =>
      JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid;
    expect(kid(before)).toBe(kid(last));
    expect(kid(next)).not.toBe(kid(last));
    expect((await caller(`Bearer ${last.token}`)).subject).toBe('ann');
  });

  it('is refused if anything about it was forged', async () => {
    const { token } = await session();
    const [head, body, signature] = token.split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url').toString());
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const { privateKey } = generateKeyPairSync('ed25519');
    const resigned = (own: object) =>
      new SignJWT(claims).setProtectedHeader({ ...header, ...own }).sign(privateKey);
    const hmac = `${part({ ...header, alg: 'HS256' })}.${body}`;
    const signed = createHmac('sha256', header.kid).update(hmac).digest('base64url');
    const forged = [
      `${part({ ...header, alg: 'none' })}.${body}.`,
      `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
      `${hmac}.${signed}`,
      `${head}.${part({ ...claims, sub: 'admin' })}.${signature}`,
      `${head}.${part({ ...claims, exp: claims.exp + 3600 })}.${signature}`,
      `${head}.${body}.${'A'.repeat(signature.length)}`,
      `${head}.${body}`,
      await resigned({}),
      await resigned({ kid: '../../etc/passwd' }),
      await resigned({ typ: 'JWT' }),
      await resigned({ jku: 'http://127.0.0.1:1/keys' }),
    ];
    for (const one of forged) await refused(`Bearer ${one}`);
    expect((await caller(`bearer ${token}`)).subject).toBe('ann');
    await refused(`ApiKey ${token}`);
  });

  it('is refused without a token, in another scheme and in a huge header', async () => {
    const { token } = await session();
    for (const header of [undefined, '', 'Bearer', `Basic ${token}`, token, `Bearer ${token} x`]) {
      await refused(header);
    }
    await refused(`Bearer ${'a'.repeat(20_000)}`);
  });
});

describe('tokens of unknown keys', () => {
  it('share looks at the keys in the store', async () => {
    let looks = 0;
    const keys = Object.create(store.signingKeys, {
      list: {
        value: () => {
          looks++;
          return store.signingKeys.list();
        },
      },
    });
    const sessions = new Sessions(keys, () => now);
    const body = part({ iss: 'lhs', aud: 'lhs', sub: 'ann', exp: 9e9 });
    const tokenOf = (typ: string, n: number) =>
      `${part({ alg: 'EdDSA', typ, kid: `unknown${n}` })}.${body}.${'A'.repeat(86)}`;
    const verified = Array.from({ length: 40 }, (_, n) =>
      sessions.verify(tokenOf('lhs-session+jwt', n)),
    );
    expect(await Promise.all(verified)).toEqual(Array(40).fill(undefined));
    expect(looks).toBe(1);
    expect(await sessions.verify(tokenOf('JWT', 1))).toBeUndefined();
    expect(looks).toBe(1);
    const { token } = await session();
    expect(await sessions.verify(token)).toMatchObject({ subject: 'ann' });
  });
});

describe('logging in', () => {
  it('refuses unknown users and wrong passwords alike', async () => {
    const wrong = { code: 'unauthenticated', message: 'username or password is wrong' };
    for (const username of ['bob', 'nobody']) {
      if (username === 'bob') await store.users.add('bob', await hashPassword('12345678'), []);
      const attempt = () => accounts.login({ username, password: 'guess' });
      for (let i = 0; i < 3; i++) await expect(attempt()).rejects.toMatchObject(wrong);
    }
  });
});

describe('an API token', () => {
  it('names its caller, indexes and tenant, until it is revoked or expires', async () => {
    const expires_at = new Date(now + MINUTE).toISOString();
    const draft = { name: 'ci', roles: ['reader'] as const, indexes: ['a'], tenant: 'acme' };
    const made = await accounts.createToken({ ...draft, expires_at });
    expect(made.token).toMatch(/^lhs_[0-9a-f]{32}_[\w-]{43}$/);
    expect(JSON.stringify(await accounts.listTokens())).not.toContain(made.token.slice(-43));
    const header = `ApiKey ${made.token}`;
    expect(await caller(header)).toEqual({
      subject: `token:${made.id}`,
      scopes: ['search', 'index_read'],
      indexes: ['a'],
      tenant: 'acme',
    });
    await refused(`${header.slice(0, -1)}${header.endsWith('A') ? 'B' : 'A'}`);
    expect(await caller(`Bearer ${made.token}`)).toEqual(await caller(header));
    now += MINUTE;
    await refused(header);
    now -= MINUTE;
    await caller(header);
    await accounts.revokeToken({ id: made.id });
    await refused(header);
    await expect(accounts.revokeToken({ id: made.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('cannot be made by a caller with restrictions, or with a time that has passed', async () => {
    const draft = { name: 'x', roles: ['admin'] as const };
    const principal = { subject: 's', scopes: ['admin'] as const };
    for (const restriction of [{ indexes: ['a'] }, { tenant: 'acme' }]) {
      const call = { principal: { ...principal, ...restriction } };
      await expect(accounts.createToken(draft, call)).rejects.toMatchObject({
        code: 'permission_denied',
      });
    }
    const expires_at = new Date(now).toISOString();
    await expect(accounts.createToken({ ...draft, expires_at })).rejects.toThrow(/has passed/);
    await expect(accounts.createToken({ ...draft, tenant: '' })).rejects.toThrow(
      '"tenant" is "": expected the name of a tenant; leave it out for all rows',
    );
  });

  it('does not take the last admin away', async () => {
    await accounts.setRoles({ subject: 'root', roles: ['admin'] });
    await expect(accounts.setRoles({ subject: 'root', roles: [] })).rejects.toThrow(/only admin/);
  });
});

describe('a token of another issuer', () => {
  const token = (claims: object, alg = 'RS256') =>
    new SignJWT({ realm: { groups: ['team', 'other'] }, org: 'acme', ...claims })
      .setProtectedHeader({ alg, kid: 'k1' })
      .sign(outsideKey);
  const CLAIMS = { iss: ISSUER, aud: 'lhs', sub: 'ann', exp: Math.floor(START / 1000) + 10 ** 7 };

  it('becomes a caller by the claims that the configuration names', async () => {
    expect(await caller(`Bearer ${await token(CLAIMS)}`)).toEqual({
      subject: 'okta:ann',
      tenant: 'acme',
      scopes: ['search', 'index_read'],
    });
  });

  it.each([
    ['admin', {}],
    ['operator', { 'realm.groups': 'operator' }],
    ['reader', { 'realm.groups': ['reader'] }],
  ])('has no role %s that `role_names` does not list', async (role, flat) => {
    const claims = { ...CLAIMS, realm: { groups: ['other', role] }, ...flat };
    expect(await caller(`Bearer ${await token(claims)}`)).toMatchObject({ scopes: [] });
  });

  it('may have a claim whose name has dots', async () => {
    const claims = { ...CLAIMS, realm: undefined, 'realm.groups': ['team'] };
    expect(await caller(`Bearer ${await token(claims)}`)).toMatchObject({
      scopes: ['search', 'index_read'],
    });
  });

  it.each([
    ['another audience', { aud: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no time of expiry', { exp: undefined }],
    ['a time of expiry that has passed', { exp: Math.floor(START / 1000) - 3600 }],
    ['no tenant', { org: undefined }],
    ['an empty tenant', { org: '' }],
    ['a tenant that is no text', { org: ['acme'] }],
    ['no subject', { sub: undefined }],
    ['roles that are no texts', { realm: { groups: [1] } }],
  ])('is refused with %s', async (_, claims) => {
    await refused(`Bearer ${await token({ ...CLAIMS, ...claims })}`);
  });

  it('is refused if it is signed with the public key as a secret', async () => {
    const keys = JSON.stringify((await import('node:fs')).readFileSync(join(folder, 'keys.json')));
    const text = `${part({ alg: 'HS256', kid: 'k1' })}.${part({ ...CLAIMS, org: 'acme' })}`;
    await refused(`Bearer ${text}.${createHmac('sha256', keys).update(text).digest('base64url')}`);
  });
});
