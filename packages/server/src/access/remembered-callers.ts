import { LhsError, type Principal } from '@lakehouse-search/contract';

/** A caller whose credentials were verified. */
export interface VerifiedCaller {
  readonly principal: Principal;
  /** Milliseconds since 1970. Null: the credentials do not expire. */
  readonly expiresMs: number | null;
}

/** How long verified callers are remembered, in milliseconds. */
export interface RememberTimes {
  /** A header is verified again after this time. Default: one second. */
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

/**
 * The callers of headers. A header that was verified counts for a second. After that it is verified
 * again; only if the accounts cannot be read does it count longer. A refusal ends that.
 */
export class RememberedCallers {
  readonly #verify: RememberedCallersOptions['verify'];
  readonly #now: () => number;
  readonly #times: Required<RememberTimes>;
  /** Replaced when accounts change; verifications in progress still write to the old map. */
  #known = new Map<string, Remembered>();
  #verifying = new Map<string, Promise<VerifiedCaller>>();

  constructor({ verify, now = Date.now, ...times }: RememberedCallersOptions) {
    this.#verify = verify;
    this.#now = now;
    const { freshMs = FRESH_MS, awayMs = AWAY_MS, patienceMs = PATIENCE_MS } = times;
    this.#times = { freshMs, awayMs, patienceMs };
  }

  /** The caller of a header. Throws as `verify`. */
  async callerOf(header: string): Promise<Principal> {
    const known = this.#known.get(header);
    const now = this.#now();
    if (known === undefined || hasExpired(known, now)) return this.#verified(header);
    const age = now - known.verifiedMs;
    if (age < this.#times.freshMs) return known.principal;
    return age < this.#times.awayMs ? this.#again(header, known) : this.#verified(header);
  }

  /** Forgets all headers: accounts have changed. */
  forget(): void {
    this.#known = new Map();
    this.#verifying = new Map();
  }

  async #verified(header: string): Promise<Principal> {
    return (await this.#start(header)).principal;
  }

  /** A known caller, unless the accounts refuse the header within some time. */
  async #again(header: string, { principal }: Remembered): Promise<Principal> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Principal>((resolve) => {
      timer = setTimeout(resolve, this.#times.patienceMs, principal);
    });
    const verified = this.#verified(header).catch((error: unknown) => {
      if (isAway(error)) return principal;
      throw error;
    });
    try {
      return await Promise.race([verified, late]);
    } finally {
      clearTimeout(timer);
      // a refusal that comes later concerns the next call
      verified.catch(() => {});
    }
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
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(header, { ...caller, verifiedMs: this.#now() });
      return caller;
    } catch (error) {
      if (!isAway(error)) known.delete(header);
      throw error;
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof LhsError && AWAY.has(error.code);

/** Whether credentials have expired at a time. */
export const hasExpired = ({ expiresMs }: VerifiedCaller, now: number): boolean =>
  expiresMs !== null && now >= expiresMs;
