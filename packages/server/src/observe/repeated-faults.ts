import type { Logger } from 'pino';

/** Fields of a line; work of two indexes or leases fails apart. */
interface FaultFields {
  readonly index?: string;
  readonly lease?: string;
  readonly in_ms?: number;
}

/**
 * Logs work that is tried again and again: the first failure in a row, then the 2nd, 4th, 8th, …
 * with their number, and one line when the work succeeds again.
 */
export class RepeatedFaults {
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  /** Failures in a row, by work. */
  readonly #counts = new Map<string, number>();

  constructor(logger: Pick<Logger, 'warn' | 'info'>) {
    this.#logger = logger;
  }

  /** `what` names the work, and is the text of the line. */
  failed(what: string, error: unknown, fields: FaultFields = {}): void {
    const key = keyOf(what, fields);
    const failures = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, failures);
    const isPower = (failures & (failures - 1)) === 0;
    if (!isPower) return;
    const count = failures === 1 ? {} : { failures };
    this.#logger.warn({ err: error, ...fields, ...count }, what);
  }

  succeeded(what: string, fields: FaultFields = {}): void {
    const key = keyOf(what, fields);
    const failures = this.#counts.get(key);
    if (failures === undefined) return;
    this.#counts.delete(key);
    this.#logger.info({ ...fields, failures }, `${what}: it works again`);
  }
}

const keyOf = (what: string, { index = '', lease = '' }: FaultFields): string =>
  `${what} ${index} ${lease}`;
