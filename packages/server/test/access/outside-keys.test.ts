/** Tokens of an outside issuer whose keys are read from a URL. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { outsideTokens, type VerifyOutside } from '../../src/access/outside-tokens.ts';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
interface Listening {
  readonly url: string;
  readonly requests: string[];
  answer: (response: ServerResponse) => void;
  close(): void;
}

async function listening(): Promise<Listening> {
  const own: Listening = { url: '', requests: [], answer: () => {}, close: () => server.close() };
  const server: Server = createServer((request, response) => {
    own.requests.push(String(request.url));
    own.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(own, { url: `http://127.0.0.1:${port}` });
}

let issuer: Listening;
let stranger: Listening;
let first: Keys;
let second: Keys;
beforeAll(async () => {
  [issuer, stranger] = [await listening(), await listening()];
  [first, second] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
});
afterAll(() => {
  issuer.close();
  stranger.close();
});
afterEach(() => {
  vi.useRealTimers();
  stranger.requests.length = 0;
});

const publicJwk = async ({ publicKey }: Keys, kid: string): Promise<JWK> => {
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
};
const keys = (list: readonly JWK[]) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ keys: list }));
};
const verifier = (): VerifyOutside => {
  const claims = { roles: 'groups' };
  const jwks = { url: `${issuer.url}/keys` };
  return outsideTokens([{ name: 'idp', issuer: 'https://idp', audience: 'lhs', jwks, claims }]);
};
const token = ({ privateKey }: Keys, kid: string, header: object = {}) =>
  new SignJWT({ groups: ['reader'] })
    .setProtectedHeader({ alg: 'ES256', kid, ...header })
    .setIssuer('https://idp')
    .setAudience('lhs')
    .setSubject('ann')
    .setExpirationTime('1h')
    .sign(privateKey);

describe('keys of an issuer at a URL', () => {
  it('are read once, and verify its tokens', async () => {
    issuer.answer = keys([await publicJwk(first, 'k1')]);
    issuer.requests.length = 0;
    const verify = verifier();
    for (let i = 0; i < 3; i++) {
      const caller = await verify(await token(first, 'k1'), Date.now());
      expect(caller?.principal.subject).toBe('idp:ann');
    }
    expect(issuer.requests).toEqual(['/keys']);
  });

  it('are read again for a new key, at most every 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    issuer.answer = keys([await publicJwk(first, 'k1')]);
    const verify = verifier();
    const isValid = async (own: Keys, kid: string) =>
      (await verify(await token(own, kid), Date.now())) !== undefined;
    expect(await isValid(first, 'k1')).toBe(true);
    issuer.answer = keys([await publicJwk(second, 'k2')]);
    issuer.requests.length = 0;
    // Tokens of invented keys cannot make the server read the keys each time.
    for (let i = 0; i < 5; i++) expect(await isValid(second, 'k2')).toBe(false);
    expect(issuer.requests).toEqual([]);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await isValid(second, 'k2')).toBe(true);
    expect(await isValid(first, 'k1')).toBe(false);
  });

  it('that a token brings or names are never used', async () => {
    issuer.answer = keys([await publicJwk(first, 'k1')]);
    stranger.answer = keys([await publicJwk(second, 'k1')]);
    const verify = verifier();
    const forged = [
      await token(second, 'k1', { jku: `${stranger.url}/keys` }),
      await token(second, 'k1', { x5u: `${stranger.url}/chain` }),
      await token(second, 'k1', { jwk: await publicJwk(second, 'k1') }),
      await token(second, `${stranger.url}/keys`),
      await token(second, '../../../etc/passwd'),
    ];
    for (const one of forged) expect(await verify(one, Date.now())).toBeUndefined();
    expect(stranger.requests).toEqual([]);
  });

  it('are not followed to another server', async () => {
    stranger.answer = keys([await publicJwk(second, 'k2')]);
    issuer.answer = (response) => {
      response.writeHead(302, { location: `${stranger.url}/keys` }).end();
    };
    const verified = verifier()(await token(second, 'k2'), Date.now());
    await expect(verified).rejects.toMatchObject({ code: 'unreachable' });
    expect(stranger.requests).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => void response.writeHead(500).end('{}')],
    ['no JSON', (response) => void response.writeHead(200).end('<html>')],
    ['no keys', (response) => void response.writeHead(200).end('{"keys": 7}')],
    ['a closed connection', (response) => void response.destroy()],
  ])('are unreachable if the server answers with %s, until it has them', async (_, answer) => {
    issuer.answer = answer;
    const verify = verifier();
    const signed = await token(first, 'k1');
    await expect(verify(signed, Date.now())).rejects.toMatchObject({
      code: 'unreachable',
      message: 'the keys of issuer "https://idp" cannot be read',
    });
    issuer.answer = keys([await publicJwk(first, 'k1')]);
    expect((await verify(signed, Date.now()))?.principal.subject).toBe('idp:ann');
  });

  it('that do not fit a token make it invalid, not the server unreachable', async () => {
    issuer.answer = keys([await publicJwk(first, 'k1'), await publicJwk(second, 'k1')]);
    const verify = verifier();
    const symmetric = await new SignJWT({ groups: ['reader'] })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setIssuer('https://idp')
      .sign(new Uint8Array(32));
    for (const one of [symmetric, await token(first, 'k1'), await token(first, 'other')]) {
      expect(await verify(one, Date.now())).toBeUndefined();
    }
  });
});
