import { LhsError } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import { BurstyRateLimiter, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Admit, Admitted } from './admission.ts';

/** How much one caller, and all of them together, may request of a server. */
export interface CallLimits {
  /** Calls per second of a subject, or of an address without one. Null: no limit. */
  readonly callsPerSecond: number | null;
  /** Calls that a subject may send at once, beyond that rate. */
  readonly burst: number;
  /** Attempts to log in per minute and address. */
  readonly loginsPerMinute: number;
  /** Requests with wrong credentials per minute and address. */
  readonly failuresPerMinute: number;
  /** Calls that run or wait at once. */
  readonly runningCalls: number;
  /** The same of one tenant or subject. */
  readonly runningPerCaller: number;
  /** Exports that run at once for one tenant or subject; for all, four times as many. */
  readonly exportsPerCaller: number;
  /** Milliseconds after which a stream ends whose client takes nothing. */
  readonly readerMs: number;
  /** Open connections of each port. */
  readonly connections: number;
}

const BURST_SECONDS = 10;
/** How soon a call that met too many running ones should come again. */
const BUSY_SECONDS = 1;
/** Callers whose exports may run at once. */
const EXPORTING_CALLERS = 4;
/** Part of the running calls that may be streams that wait for events. */
const OF_EVENTS = 0.5;

/** Admits calls within limits. The function comes with the number of running calls. */
export function rateLimits(limits: CallLimits): { readonly admit: Admit; running(): number } {
  const { callsPerSecond, runningCalls, runningPerCaller, exportsPerCaller } = limits;
  const calls = callsPerSecond === null ? null : callRate(callsPerSecond, limits.burst);
  const logins = new RateLimiterMemory({ points: limits.loginsPerMinute, duration: 60 });
  const running = new RunningCalls('calls', runningPerCaller, runningCalls);
  const ofExports = EXPORTING_CALLERS * exportsPerCaller;
  const exporting = new RunningCalls('exports', exportsPerCaller, ofExports);
  const part = (calls: number) => Math.ceil(calls * OF_EVENTS);
  const events = new RunningCalls('streams', part(runningPerCaller), part(runningCalls));
  const admit: Admit = async (call) => {
    const { operation, remote } = call;
    if (operation === 'login') await consume(logins, remote, `logins from "${remote}"`);
    else if (calls !== null) await consume(calls, subjectOf(call), 'calls');
    const share = shareOf(call);
    if (EXPORTS.has(operation)) return exporting.begin(share, running.begin(share));
    if (STREAMS.has(operation)) return events.begin(share, running.begin(share));
    return running.begin(share);
  };
  return { admit, running: () => running.count };
}

const EXPORTS: ReadonlySet<Operation> = new Set(['exportDocuments']);
const STREAMS: ReadonlySet<Operation> = new Set(['follow', 'watchJob']);

const callRate = (callsPerSecond: number, burst: number) =>
  new BurstyRateLimiter(
    new RateLimiterMemory({ points: callsPerSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'burst', points: burst, duration: BURST_SECONDS }),
  );

/** Calls that run, of each share and together. */
class RunningCalls {
  readonly #what: string;
  readonly #perShare: number;
  readonly #all: number;
  readonly #counts = new Map<string, number>();
  count = 0;

  constructor(what: string, perShare: number, all: number) {
    this.#what = what;
    this.#perShare = perShare;
    this.#all = all;
  }

  /** Returns what ends the call, and then runs `after`; it runs at once if the call is refused. */
  begin(share: string, after: () => void = () => {}): () => void {
    const own = this.#counts.get(share) ?? 0;
    const isFull = this.count >= this.#all;
    if (isFull || own >= this.#perShare) {
      after();
      const whose = isFull ? this.count : `${own} of this caller`;
      throw overloaded(`${whose} ${this.#what} are running already`, BUSY_SECONDS);
    }
    this.count++;
    this.#counts.set(share, own + 1);
    return () => {
      this.#end(share);
      after();
    };
  }

  #end(share: string): void {
    this.count--;
    const left = (this.#counts.get(share) ?? 1) - 1;
    if (left === 0) this.#counts.delete(share);
    else this.#counts.set(share, left);
  }
}

const subjectOf = ({ principal, remote }: Admitted): string =>
  principal === undefined ? `address:${remote}` : `subject:${principal.subject}`;

/** Tokens of one tenant share what runs for them. */
const shareOf = (call: Admitted): string =>
  call.principal?.tenant === undefined ? subjectOf(call) : `tenant:${call.principal.tenant}`;

async function consume(
  limiter: Pick<RateLimiterMemory, 'consume'>,
  key: string,
  what: string,
): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    throw tooMany(what, refused as RateLimiterRes);
  }
}

/** The error of a caller that a limiter refuses for a while. */
export const tooMany = (what: string, { msBeforeNext }: RateLimiterRes): LhsError =>
  overloaded(`too many ${what}`, Math.max(1, Math.ceil(msBeforeNext / 1000)));

const overloaded = (message: string, retry_after_s: number): LhsError =>
  new LhsError('overloaded', message, {
    hint: `try again in ${retry_after_s} s`,
    details: { retry_after_s },
  });
