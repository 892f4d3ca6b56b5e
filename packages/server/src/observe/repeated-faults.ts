import { LhsError, type SyncFailure } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine/internal';
import type { Logger } from 'pino';

/** Fields of a line; work of two indexes, leases or nodes fails apart. */
interface FaultFields {
  readonly index?: string;
  readonly lease?: string;
  readonly node?: string;
  readonly place?: string;
  readonly in_ms?: number;
}

/** Failures in a row. */
interface Row {
  readonly count: number;
  readonly sinceMs: number;
  readonly last: unknown;
}

/**
 * The failures of work that a process tries again and again. Each is counted in metrics. Lines are
 * logged of the first failure in a row, then of the 2nd, 4th, 8th, … with their number, and when
 * the work succeeds again.
 */
export class RepeatedFaults {
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  readonly #count: (work: string, index: string) => void;
  readonly #rows = new Map<string, Row>();

  /** `count`: counts a failure. */
  constructor(
    logger: Pick<Logger, 'warn' | 'info'>,
    count: (work: string, index: string) => void = () => {},
  ) {
    this.#logger = logger;
    this.#count = count;
  }

  /** `work`: a noun. */
  failed(work: string, error: unknown, fields: FaultFields = {}): void {
    const key = keyOf(work, fields);
    const { count = 0, sinceMs = Date.now() } = this.#rows.get(key) ?? {};
    const failures = count + 1;
    this.#rows.set(key, { count: failures, sinceMs, last: error });
    this.#count(work, fields.index ?? '');
    const isPower = (failures & (failures - 1)) === 0;
    if (!isPower) return;
    const shown = failures === 1 ? {} : { failures };
    this.#logger.warn({ err: error, ...fields, ...shown }, `${work} failed`);
  }

  succeeded(work: string, fields: FaultFields = {}): void {
    const key = keyOf(work, fields);
    const failures = this.#rows.get(key)?.count;
    if (failures === undefined) return;
    this.#rows.delete(key);
    this.#logger.info({ ...fields, failures }, `${work} works again`);
  }

  /** Why the work of an index fails now; undefined: it does not. */
  failureOf(work: string, index: string): SyncFailure | undefined {
    const row = this.#rows.get(keyOf(work, { index }));
    if (row === undefined) return undefined;
    const { code, message } = shownError(row.last);
    return { code, message: `${work}: ${message}`, since: new Date(row.sinceMs).toISOString() };
  }
}

/** The code and the message of any error, as a status shows them. */
export function shownError(error: unknown): Pick<LhsError, 'code' | 'message'> {
  const known = sourceError(error);
  const code = known instanceof LhsError ? known.code : 'internal';
  return { code, message: known instanceof Error ? known.message : String(known) };
}

const keyOf = (work: string, { index = '', lease = '', node = '', place = '' }: FaultFields) =>
  `${work} ${index} ${lease} ${node} ${place}`;
