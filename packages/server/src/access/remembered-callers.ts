import { LhsError, type Principal } from '@lakehouse-search/contract';

/** A caller whose credentials were verified. */
export interface VerifiedCaller {
  readonly principal: Principal;
  /** Milliseconds since 1970. Null: the credentials do not expire. */
  readonly expiresMs: number | null;
}

/** How long verified callers are remembered, in milliseconds. */
export interface RememberTimes {
  /** A header is verified again after this time; 0: by each call. Default: one second. */
  readonly freshMs?: number;
  /**
   * While accounts cannot be read, a header counts for this time after it was verified last.
   * Default: 15 minutes.
   */
  readonly awayMs?: number;
  /** A known caller waits no longer for accounts that do not answer. Default: 200. */
  readonly patienceMs?: number;
}

/** What verified callers are remembered with. */
export interface RememberedCallersOptions extends RememberTimes {
  /** Throws unauthenticated; unreachable while accounts cannot be read. */
  readonly verify: (header: string) => Promise<VerifiedCaller>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Remembered extends VerifiedCaller {
  readonly verifiedMs: number;
}

const FRESH_MS = 1000;
const AWAY_MS = 15 * 60_000;
const PATIENCE_MS = 200;
const MAX_REMEMBERED = 10_000;
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'deadline_exceeded']);

/** Accounts that do not answer: late, or with the error of the last look. */
interface Silence {
  readonly fault?: unknown;
}

/**
 * The callers of headers. A header that was verified counts for a second. After that it is verified
 * again; only if the accounts cannot be read does it count longer. A refusal ends that. While the
 * accounts are silent, one look at a time tells when they answer again, and no other call waits.
 */
export class RememberedCallers {
  readonly #verify: RememberedCallersOptions['verify'];
  readonly #now: () => number;
  readonly #times: Required<RememberTimes>;
  /** Replaced when accounts change; verifications in progress still write to the old map. */
  #known = new Map<string, Remembered>();
  #verifying = new Map<string, Promise<VerifiedCaller>>();
  #silence: Silence | undefined;

  constructor({ verify, now = Date.now, ...times }: RememberedCallersOptions) {
    this.#verify = verify;
    this.#now = now;
    const { freshMs = FRESH_MS, awayMs = AWAY_MS, patienceMs = PATIENCE_MS } = times;
    this.#times = { freshMs, awayMs, patienceMs };
  }

  /** The caller of a header. Throws as `verify`. */
  async callerOf(header: string): Promise<VerifiedCaller> {
    const known = this.#known.get(header);
    const now = this.#now();
    if (known === undefined || hasExpired(known, now)) return this.#unknown(header);
    const age = now - known.verifiedMs;
    if (age < this.#times.freshMs) return known;
    return age < this.#times.awayMs ? this.#again(header, known) : this.#unknown(header);
  }

  /** Forgets all headers: accounts have changed. */
  forget(): void {
    this.#known = new Map();
    this.#verifying = new Map();
  }

  #unknown(header: string): Promise<VerifiedCaller> {
    const fault = this.#verifying.size > 0 ? this.#silence?.fault : undefined;
    return fault === undefined ? this.#start(header) : Promise.reject(fault);
  }

  /** A known caller, unless the accounts refuse the header within some time. */
  async #again(header: string, known: Remembered): Promise<VerifiedCaller> {
    const remembered = this.#whileAway(known);
    if (this.#silence !== undefined && this.#verifying.size > 0) return remembered;
    const verified = this.#start(header).catch((error: unknown) => {
      if (isAway(error)) return remembered;
      throw error;
    });
    // a refusal that comes later concerns the next call
    verified.catch(() => {});
    return this.#silence === undefined ? this.#inTime(verified, remembered) : remembered;
  }

  async #inTime(
    verified: Promise<VerifiedCaller>,
    remembered: VerifiedCaller,
  ): Promise<VerifiedCaller> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<VerifiedCaller>((resolve) => {
      timer = setTimeout(() => {
        this.#silence ??= {};
        resolve(remembered);
      }, this.#times.patienceMs);
    });
    try {
      return await Promise.race([verified, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Who counts a caller in turn does not count it longer. */
  #whileAway({ principal, expiresMs, verifiedMs }: Remembered): VerifiedCaller {
    const untilMs = verifiedMs + this.#times.awayMs;
    return { principal, expiresMs: Math.min(expiresMs ?? untilMs, untilMs) };
  }

  /** Calls with the same header share what verifies it. */
  #start(header: string): Promise<VerifiedCaller> {
    const verifying = this.#verifying;
    const running = verifying.get(header);
    if (running !== undefined) return running;
    const started = this.#look(header, this.#known).finally(() => verifying.delete(header));
    verifying.set(header, started);
    return started;
  }

  async #look(header: string, known: Map<string, Remembered>): Promise<VerifiedCaller> {
    try {
      const caller = await this.#verify(header);
      this.#silence = undefined;
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(header, { ...caller, verifiedMs: this.#now() });
      return caller;
    } catch (error) {
      this.#silence = isAway(error) ? { fault: error } : undefined;
      if (!isAway(error)) known.delete(header);
      throw error;
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof LhsError && AWAY.has(error.code);

/** Whether credentials have expired at a time. */
export const hasExpired = ({ expiresMs }: VerifiedCaller, now: number): boolean =>
  expiresMs !== null && now >= expiresMs;
