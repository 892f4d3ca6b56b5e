import { createHmac, timingSafeEqual } from 'node:crypto';
import { LhsError, type Principal } from '@lakehouse-search/contract';

/** What a call inside of a cluster says of itself. */
export interface NodeClaims {
  /** The caller of the gateway; absent: the gateway is open, or the cluster itself calls. */
  readonly principal?: Principal;
  /** The epoch of the lease under which a write is made. */
  readonly epoch?: number;
}

interface SignedClaims extends NodeClaims {
  readonly typ: typeof TYPE;
  /** Milliseconds since 1970. */
  readonly exp: number;
}

const TYPE = 'lhs-node-1';
const SCHEME = 'Node ';
/** A token is made for one call. Clocks of two machines may differ by a minute. */
const LIFETIME_MS = 60_000;
const SKEW_MS = 60_000;

/** The value of `Authorization` for a call of a node; undefined: the call needs none. */
export function signNodeCall(
  key: string | undefined,
  claims: NodeClaims,
  now: number = Date.now(),
): string | undefined {
  if (key === undefined) {
    if (claims.principal === undefined) return undefined;
    const message = 'a cluster without a key cannot send callers to its nodes';
    throw new LhsError('unauthenticated', message, {
      hint: 'set LHS_CLUSTER_KEY on all processes',
    });
  }
  const signed: SignedClaims = { typ: TYPE, exp: now + LIFETIME_MS, ...claims };
  const payload = Buffer.from(JSON.stringify(signed)).toString('base64url');
  return `${SCHEME}${payload}.${mac(key, payload).toString('base64url')}`;
}

/** The claims of a call. Throws unauthenticated, without saying which part is wrong. */
export function readNodeCall(
  key: string | undefined,
  authorization: string | undefined,
  now: number = Date.now(),
): NodeClaims {
  if (key === undefined) {
    if (authorization === undefined) return {};
    throw refused();
  }
  if (authorization?.startsWith(SCHEME) !== true) throw refused();
  const [payload = '', signature = ''] = authorization.slice(SCHEME.length).split('.');
  const expected = mac(key, payload);
  const found = Buffer.from(signature, 'base64url');
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw refused();
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as SignedClaims;
  if (claims.typ !== TYPE || !(claims.exp > now - SKEW_MS)) throw refused();
  const { principal, epoch } = claims;
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(epoch === undefined ? {} : { epoch }),
  };
}

const mac = (key: string, payload: string): Buffer =>
  createHmac('sha256', key).update(payload).digest();

function refused(): LhsError {
  return new LhsError('unauthenticated', 'the call has no valid token of this cluster', {
    hint: 'all processes of a cluster need the same LHS_CLUSTER_KEY',
  });
}
