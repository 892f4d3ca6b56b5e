import { LhsError } from '@lakehouse-search/contract';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Attempts per username and window; a success forgives the former ones. */
const ATTEMPTS = 10;
const WINDOW_SECONDS = 300;

/** Limits how often passwords of one user are tried. */
export interface LoginAttempts {
  /** Counts an attempt. Throws overloaded with `details.retry_after_s`. */
  begin(username: string): Promise<void>;
  succeeded(username: string): Promise<void>;
}

/** Counts the attempts at this process. */
export function loginAttempts(points = ATTEMPTS): LoginAttempts {
  const limiter = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  return {
    async begin(username) {
      try {
        await limiter.consume(username);
      } catch (refused) {
        throw tooManyAttempts(refused as RateLimiterRes);
      }
    },
    async succeeded(username) {
      await limiter.delete(username);
    },
  };
}

function tooManyAttempts({ msBeforeNext }: RateLimiterRes): LhsError {
  const retry_after_s = Math.max(1, Math.ceil(msBeforeNext / 1000));
  const message = `too many attempts to log in: try again in ${retry_after_s} s`;
  return new LhsError('overloaded', message, { details: { retry_after_s } });
}
