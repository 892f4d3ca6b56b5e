import { LhsError } from '@lakehouse-search/contract';
import { BurstyRateLimiter, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Admit, Admitted } from './admission.ts';

/** How much one caller, and all of them together, may ask of a server. */
export interface CallLimits {
  /** Calls per second of a subject, or of an address without one. */
  readonly callsPerSecond: number;
  /** Calls that a subject may send at once, beyond that rate. */
  readonly burst: number;
  /** Attempts to log in per minute and address. */
  readonly loginsPerMinute: number;
  /** Calls that run at once. */
  readonly runningCalls: number;
}

const BURST_SECONDS = 10;
/** How soon a call that met too many running ones should come again. */
const BUSY_SECONDS = 1;

/** Admits calls within limits. The function comes with the number of running calls. */
export function rateLimits(limits: CallLimits): { readonly admit: Admit; running(): number } {
  const calls = new BurstyRateLimiter(
    new RateLimiterMemory({ points: limits.callsPerSecond, duration: 1 }),
    new RateLimiterMemory({
      keyPrefix: 'burst',
      points: limits.burst,
      duration: BURST_SECONDS,
    }),
  );
  const logins = new RateLimiterMemory({ points: limits.loginsPerMinute, duration: 60 });
  let running = 0;
  const admit: Admit = async (call) => {
    const { operation, remote } = call;
    if (operation === 'login') await consume(logins, remote, `logins from "${remote}"`);
    else await consume(calls, callerOf(call), 'calls');
    if (running >= limits.runningCalls) {
      throw overloaded(`${running} calls are running already`, BUSY_SECONDS);
    }
    running++;
    return () => {
      running--;
    };
  };
  return { admit, running: () => running };
}

const callerOf = ({ principal, remote }: Admitted): string =>
  principal === undefined ? `address:${remote}` : `subject:${principal.subject}`;

async function consume(
  limiter: Pick<RateLimiterMemory, 'consume'>,
  key: string,
  what: string,
): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    const { msBeforeNext } = refused as RateLimiterRes;
    throw overloaded(`too many ${what}`, Math.max(1, Math.ceil(msBeforeNext / 1000)));
  }
}

const overloaded = (message: string, retry_after_s: number): LhsError =>
  new LhsError('overloaded', message, {
    hint: `try again in ${retry_after_s} s`,
    details: { retry_after_s },
  });
