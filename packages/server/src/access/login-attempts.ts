import { setTimeout } from 'node:timers/promises';
import { LhsError } from '@lakehouse-search/contract';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Wrong passwords of a user from one address in the window; a success forgives them. */
const ATTEMPTS = 10;
const WINDOW_SECONDS = 300;
/** How long a login waits whose user has met more wrong passwords, from any addresses. */
const SLOW_MS = 1000;

/** Limits how often passwords of one user are tried. */
export interface LoginAttempts {
  /**
   * Runs a login. Throws overloaded with `details.retry_after_s` after too many attempts of this
   * address. After too many of all addresses it waits first: nobody can lock a user out.
   */
  run<T>(username: string, remote: string, login: () => Promise<T>): Promise<T>;
}

/** Counts the attempts at this process. `slow` waits before a login. */
export function loginAttempts(
  points = ATTEMPTS,
  slow: () => Promise<unknown> = () => setTimeout(SLOW_MS),
): LoginAttempts {
  const limits = { points, duration: WINDOW_SECONDS };
  const ofAddress = new RateLimiterMemory(limits);
  const ofUser = new RateLimiterMemory({ ...limits, keyPrefix: 'user' });
  return {
    async run(username, remote, login) {
      const pair = JSON.stringify([username, remote]);
      await ofAddress.consume(pair).catch((refused: RateLimiterRes) => {
        throw tooManyAttempts(refused);
      });
      const failed = await ofUser.get(username);
      if (failed !== null && failed.consumedPoints >= points) await slow();
      try {
        const session = await login();
        await ofAddress.delete(pair);
        return session;
      } catch (error) {
        if (error instanceof LhsError && error.code === 'unauthenticated') {
          await ofUser.penalty(username);
        }
        throw error;
      }
    },
  };
}

function tooManyAttempts({ msBeforeNext }: RateLimiterRes): LhsError {
  const retry_after_s = Math.max(1, Math.ceil(msBeforeNext / 1000));
  const message = `too many attempts to log in: try again in ${retry_after_s} s`;
  return new LhsError('overloaded', message, { details: { retry_after_s } });
}
