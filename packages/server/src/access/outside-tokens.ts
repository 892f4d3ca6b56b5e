import { readFileSync } from 'node:fs';
import { LhsError, type Principal } from '@lakehouse-search/contract';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { IssuerConfig } from '../config/server-config.ts';
import { scopesOf } from './roles.ts';

/** Algorithms of outside tokens, all asymmetric. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'];
const SKEW_SECONDS = 60;

/** The caller of a token of an outside issuer. */
export interface OutsideCaller {
  readonly principal: Principal;
  readonly expiresMs: number;
}

/**
 * Verifies tokens of an outside issuer; undefined for a token that is not valid. Throws unreachable
 * where the keys of the issuer cannot be read: the token may be valid.
 */
export type VerifyOutside = (token: string, now: number) => Promise<OutsideCaller | undefined>;

/**
 * Verifies the tokens of the issuers of a configuration. The issuer of a token selects the keys;
 * nothing else in a token does. Throws invalid_argument for a file of keys that cannot be read.
 */
export function outsideTokens(issuers: readonly IssuerConfig[]): VerifyOutside {
  const known = new Map(issuers.map((issuer) => [issuer.issuer, { issuer, keys: keysOf(issuer) }]));
  return async (token, now) => {
    const found = known.get(issuerOf(token) ?? '');
    if (found === undefined) return undefined;
    const { issuer, keys } = found;
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: issuer.issuer,
        audience: issuer.audience,
        requiredClaims: ['exp'],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(now),
      });
      return callerOf(issuer, payload);
    } catch (error) {
      if (error instanceof LhsError) throw error;
      return undefined;
    }
  };
}

function keysOf({ issuer, jwks }: IssuerConfig): JWTVerifyGetKey {
  if ('url' in jwks) return keysAt(issuer, new URL(jwks.url));
  try {
    return createLocalJWKSet(JSON.parse(readFileSync(jwks.file, 'utf8')) as JSONWebKeySet);
  } catch (cause) {
    const message = `the keys of issuer "${issuer}" cannot be read from "${jwks.file}"`;
    throw new LhsError('invalid_argument', message, { cause });
  }
}

/** The keys at a URL. Throws unreachable where they cannot be read. */
function keysAt(issuer: string, url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: 5000 });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (OF_TOKENS.some((kind) => cause instanceof kind)) throw cause;
      const message = `the keys of issuer "${issuer}" cannot be read`;
      const hint = 'try again later; the log of the service has the cause';
      throw new LhsError('unreachable', message, { hint, cause });
    }
  };
}

/** Errors of a token for which the keys, which were read, have no one key. */
const OF_TOKENS = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
];

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** The caller that the claims describe. A claim of the wrong type makes the token invalid. */
function callerOf(config: IssuerConfig, payload: JWTPayload): OutsideCaller | undefined {
  const { claims } = config;
  const subject = claimAt(payload, claims.subject ?? 'sub');
  const roles = textsAt(payload, claims.roles);
  const indexes = textsAt(payload, claims.indexes);
  const tenant = claims.tenant === undefined ? undefined : claimAt(payload, claims.tenant);
  if (typeof subject !== 'string' || subject === '') return undefined;
  if (roles === null || indexes === null) return undefined;
  // a service that maps tenants must not take a token without one for a caller of all rows
  if (claims.tenant !== undefined && (typeof tenant !== 'string' || tenant === '')) {
    return undefined;
  }
  if (claims.indexes !== undefined && indexes === undefined) return undefined;
  const principal = {
    subject: `${config.name}:${subject}`,
    scopes: scopesOf(rolesOf(config, roles ?? [])),
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(indexes === undefined ? {} : { indexes }),
  };
  return { principal, expiresMs: (payload.exp as number) * 1000 + SKEW_SECONDS * 1000 };
}

/** Without `role_names`, the issuer uses our names. With it, no other name is a role. */
function rolesOf({ role_names }: IssuerConfig, names: readonly string[]): readonly string[] {
  if (role_names === undefined) return names;
  return names.flatMap((name) => (Object.hasOwn(role_names, name) ? [role_names[name]] : []));
}

/** The claim of that very name, else the value at a path like `realm_access.roles`. */
function claimAt(payload: JWTPayload, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path];
  let value: unknown = payload;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** A list of texts, or one text; undefined if it is missing, null if it is something else. */
function textsAt(
  payload: JWTPayload,
  path: string | undefined,
): readonly string[] | undefined | null {
  const value = path === undefined ? undefined : claimAt(payload, path);
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value.split(' ').filter((text) => text !== '');
  const isList = Array.isArray(value) && value.every((text) => typeof text === 'string');
  return isList ? value : null;
}
