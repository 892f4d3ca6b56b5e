import { LhsError, type Principal } from '@lakehouse-search/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Access, Arrival } from '../access/access.ts';
import { tooMany } from './rate-limits.ts';

const MAX_VALID = 1000;
/** Longer headers are not remembered. */
const VALID_CHARS = 4096;

/**
 * The same access, which refuses credentials from an address that has sent too many wrong ones,
 * without verifying them. Credentials that were valid before are verified: behind a proxy, all
 * callers have one address.
 */
export function limitFailures(access: Access, perMinute: number): Access {
  if (access.isOpen === true) return access;
  const failures = new RateLimiterMemory({ points: perMinute, duration: 60 });
  const valid = new Set<string>();
  const requireRoom = async (header: string, remote: string): Promise<void> => {
    if (valid.has(header)) return;
    const counted = await failures.get(remote);
    if (counted === null || counted.consumedPoints < perMinute) return;
    throw tooMany(`wrong credentials from "${remote}"`, counted);
  };
  const authenticate = async (
    header: string | undefined,
    arrival: Arrival,
  ): Promise<Principal | undefined> => {
    // A request without credentials costs nothing.
    if (header === undefined) return access.authenticate(header, arrival);
    await requireRoom(header, arrival.remote);
    try {
      const principal = await access.authenticate(header, arrival);
      if (valid.size >= MAX_VALID) valid.clear();
      if (header.length <= VALID_CHARS) valid.add(header);
      return principal;
    } catch (error) {
      if (error instanceof LhsError && error.code === 'unauthenticated') {
        await failures.penalty(arrival.remote);
      }
      throw error;
    }
  };
  return {
    authenticate,
    authorize: (principal, operation, index) => access.authorize(principal, operation, index),
    permit: (principal, operation) => access.permit?.(principal, operation),
  };
}
