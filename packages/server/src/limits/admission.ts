import type { Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { Arrival } from '../access/access.ts';

/** A call whose caller is known, before it begins. */
export interface Admitted extends Arrival {
  readonly operation: Operation;
  /** As requested; absent: the operation has none, or the request left it out. */
  readonly index?: string;
  readonly principal?: Principal;
}

/**
 * Lets a call begin, or throws overloaded with `details.retry_after_s`, from which `Retry-After` is
 * made. The function that comes back is called once, when the call has ended.
 */
export type Admit = (
  call: Admitted,
) => undefined | (() => void) | Promise<undefined | (() => void)>;
