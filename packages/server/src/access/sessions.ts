import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { LhsError, type Session } from '@lakehouse-search/contract';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { SigningKey, SigningKeys } from '../store/signing-keys.ts';

/** Algorithm and type of session tokens; a token with others is refused. */
const ALGORITHM = 'EdDSA';
const TYPE = 'lhs-session+jwt';
const ISSUER = 'lhs';
const SESSION_MS = 15 * 60_000;
/** Age from which a key signs no more tokens. */
const ROTATION_MS = 24 * 3_600_000;
/** Milliseconds between two looks at the keys for tokens of unknown ones. */
const LOOK_MS = 1000;
/** Milliseconds that clocks of servers may differ. */
const SKEW_MS = 60_000;

interface LoadedKey {
  readonly id: string;
  readonly createdMs: number;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** A valid session. */
export interface VerifiedSession {
  readonly subject: string;
  readonly expiresMs: number;
}

/**
 * Session tokens: JWTs that expire after 15 minutes. The keys are in the store, so a session is
 * valid at every server over it. A key signs for a day and verifies until its last token expires.
 */
export class Sessions {
  readonly #keys: SigningKeys;
  readonly #now: () => number;
  #loaded: readonly LoadedKey[] = [];
  #loadedAt = Number.NEGATIVE_INFINITY;
  #nextLook: Promise<void> | null = null;

  constructor(keys: SigningKeys, now: () => number = Date.now) {
    this.#keys = keys;
    this.#now = now;
  }

  /** A new session of a user. */
  async issue(subject: string): Promise<Session> {
    const now = this.#now();
    const { id, privateKey } = await this.#signingKey(now);
    const expires = Math.floor((now + SESSION_MS) / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(ISSUER)
      .setAudience(ISSUER)
      .setSubject(subject)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(expires)
      .setJti(randomUUID())
      .sign(privateKey);
    return { token, expires_at: new Date(expires * 1000).toISOString() };
  }

  /** The session of a token; undefined if it is not valid. Throws what the store throws. */
  async verify(token: string): Promise<VerifiedSession | undefined> {
    try {
      if (decodeProtectedHeader(token).typ !== TYPE) return undefined;
      const { payload } = await jwtVerify(token, ({ kid }) => this.#publicKey(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: ISSUER,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(this.#now()),
      });
      return { subject: payload.sub as string, expiresMs: (payload.exp as number) * 1000 };
    } catch (error) {
      if (error instanceof LhsError) throw error;
      return undefined;
    }
  }

  async #publicKey(id: string | undefined): Promise<CryptoKey> {
    const known = this.#loaded.find((key) => key.id === id);
    if (known !== undefined) return known.publicKey;
    await this.#look();
    const key = this.#loaded.find((one) => one.id === id);
    if (key === undefined) throw new Error('a token of an unknown key');
    return key.publicKey;
  }

  async #signingKey(now: number): Promise<LoadedKey> {
    const since = now - ROTATION_MS;
    const isYoung = (key: LoadedKey | undefined) => key !== undefined && key.createdMs >= since;
    if (isYoung(this.#loaded[0])) return this.#loaded[0];
    await this.#load();
    if (!isYoung(this.#loaded[0])) {
      await this.#keys.addUnlessNewer(await newKey(now), since);
      await this.#keys.removeBefore(since - SESSION_MS - SKEW_MS);
      await this.#load();
    }
    return this.#loaded[0];
  }

  /** Another server may have a new key. Tokens of unknown keys share a look at the store. */
  #look(): Promise<void> {
    this.#nextLook ??= this.#lookLater();
    return this.#nextLook;
  }

  async #lookLater(): Promise<void> {
    const wait = this.#loadedAt + LOOK_MS - performance.now();
    await (wait > 0 ? setTimeout(wait) : undefined);
    // Who comes from now on may have a key that this look misses.
    this.#nextLook = null;
    await this.#load();
  }

  async #load(): Promise<void> {
    this.#loadedAt = performance.now();
    this.#loaded = await Promise.all((await this.#keys.list()).map(loaded));
  }
}

async function newKey(createdMs: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { id: await calculateJwkThumbprint(jwk), privateJwk: JSON.stringify(jwk), createdMs };
}

async function loaded({ id, privateJwk, createdMs }: SigningKey): Promise<LoadedKey> {
  const { d, ...publicJwk } = JSON.parse(privateJwk) as JWK;
  const privateKey = (await importJWK({ ...publicJwk, d }, ALGORITHM)) as CryptoKey;
  const publicKey = (await importJWK(publicJwk, ALGORITHM)) as CryptoKey;
  return { id, createdMs, privateKey, publicKey };
}
