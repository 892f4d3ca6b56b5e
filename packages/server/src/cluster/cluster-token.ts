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
const OPEN_EPOCH = 'Node-Epoch ';
/** Clocks of two machines may differ by a minute. */
const LIFETIME_MS = 60_000;
const SKEW_MS = 60_000;
/** A signature costs 20 µs on both sides: calls of one second with the same claims share one. */
const SHARED_MS = 1000;
const MOST_SHARED = 1000;

/** A signed header, or the claims of a verified one, by key and text. */
interface Shared<T> {
  readonly value: T;
  readonly exp: number;
}

const signed = new Map<string, Shared<string>>();
const verified = new Map<string, Shared<NodeClaims>>();

/** The value of `Authorization` for a call of a node; undefined: the call needs none. */
export function signNodeCall(
  key: string | undefined,
  claims: NodeClaims,
  now: number = Date.now(),
): string | undefined {
  if (key === undefined) {
    if (claims.principal === undefined) return openEpoch(claims.epoch);
    const message = 'a cluster without a key cannot send callers to its nodes';
    throw new LhsError('unauthenticated', message, {
      hint: 'set LHS_CLUSTER_KEY on all processes',
    });
  }
  const name = JSON.stringify([key, claims]);
  const known = signed.get(name);
  const age = known === undefined ? SHARED_MS : now - (known.exp - LIFETIME_MS);
  if (known !== undefined && age >= 0 && age < SHARED_MS) return known.value;
  const exp = now + LIFETIME_MS;
  const own: SignedClaims = { typ: TYPE, exp, ...claims };
  const payload = Buffer.from(JSON.stringify(own)).toString('base64url');
  const value = `${SCHEME}${payload}.${mac(key, payload).toString('base64url')}`;
  return share(signed, name, { value, exp });
}

/** Without a key, the epoch is not signed: a node without a key trusts all callers. */
const openEpoch = (epoch: number | undefined): string | undefined =>
  epoch === undefined ? undefined : `${OPEN_EPOCH}${epoch}`;

function readOpenEpoch(authorization: string): NodeClaims {
  const epoch = Number(authorization.slice(OPEN_EPOCH.length));
  if (!authorization.startsWith(OPEN_EPOCH) || !Number.isSafeInteger(epoch)) throw refused();
  return { epoch };
}

function share<T>(all: Map<string, Shared<T>>, name: string, one: Shared<T>): T {
  if (all.size >= MOST_SHARED) all.clear();
  all.set(name, one);
  return one.value;
}

/** The claims of a call. Throws unauthenticated, without saying which part is wrong. */
export function readNodeCall(
  key: string | undefined,
  authorization: string | undefined,
  now: number = Date.now(),
): NodeClaims {
  if (key === undefined) {
    return authorization === undefined ? {} : readOpenEpoch(authorization);
  }
  if (authorization?.startsWith(SCHEME) !== true) throw refused();
  const name = `${key} ${authorization}`;
  const known = verified.get(name);
  if (known !== undefined && known.exp > now - SKEW_MS) return known.value;
  const [payload = '', signature = ''] = authorization.slice(SCHEME.length).split('.');
  const expected = mac(key, payload);
  const found = Buffer.from(signature, 'base64url');
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw refused();
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as SignedClaims;
  if (claims.typ !== TYPE || !(claims.exp > now - SKEW_MS)) throw refused();
  const { principal, epoch } = claims;
  const value = Object.freeze({
    ...(principal === undefined ? {} : { principal: frozen(principal) }),
    ...(epoch === undefined ? {} : { epoch }),
  });
  return share(verified, name, { value, exp: claims.exp });
}

/** Calls share it. */
function frozen(principal: Principal): Principal {
  for (const part of Object.values(principal)) Object.freeze(part);
  return Object.freeze(principal);
}

const mac = (key: string, payload: string): Buffer =>
  createHmac('sha256', key).update(payload).digest();

function refused(): LhsError {
  return new LhsError('unauthenticated', 'the call has no valid token of this cluster', {
    hint: 'all processes of a cluster need the same LHS_CLUSTER_KEY',
  });
}
