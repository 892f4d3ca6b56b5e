import { type CallContext, LhsError } from '@lakehouse-search/contract';
import {
  abortedBy,
  isListed,
  isRestricted,
  noIndex,
  onlyIndex,
  refuseAborted,
} from '@lakehouse-search/contract/internal';
import type { Clock } from '../base/time/clock.ts';
import { deadlineExceeded } from '../base/time/deadline.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { isAlteredMeanwhile } from '../registry/changed-meanwhile.ts';
import { requireTenants } from '../shard/request/tenant-filter.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Timers take no more. A read does not last as long. */
const MOST_SLEEP_MS = 2 ** 31 - 1;

/**
 * The index that a request names, if the caller may use it. Throws index_not_found,
 * invalid_argument, and permission_denied if the caller's list of indexes lacks it, or if the
 * caller has a tenant and the index no `tenant_field`.
 */
export function accessible(
  indexes: LocalIndexes,
  index: string | undefined,
  call: CallContext,
): KnownIndex {
  if (!isRestricted(call)) return indexes.resolve(index);
  const known = ofCaller(indexes, index, call);
  if (call.principal?.tenant !== undefined) requireTenants(known.definition);
  return known;
}

function ofCaller(indexes: LocalIndexes, index: string | undefined, call: CallContext): KnownIndex {
  const names = () => indexes.registry.list().map(({ name }) => name);
  const name = index || onlyIndex(names(), call);
  const known = unlessUnknown(() => indexes.known(name));
  if (known === undefined || !isListed(call, known.registered.name)) throw noIndex(name, call);
  return known;
}

/** The error for an unknown index suggests others, which callers of some do not learn. */
function unlessUnknown<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_not_found') return undefined;
    throw error;
  }
}

/** The result of work; it runs a second time if its index got another definition as it began. */
export async function underNewDefinition<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAlteredMeanwhile(error)) throw error;
    return work();
  }
}

/**
 * Whose share of the search threads a call takes, and whose points in time it may use: those of the
 * tenant, or of the caller.
 */
export const shareOf = ({ principal }: CallContext): string =>
  principal?.tenant === undefined
    ? `subject:${principal?.subject ?? ''}`
    : `tenant:${principal.tenant}`;

/** Throws permission_denied for the callers of a tenant: the operation concerns all rows. */
export function refuseTenants({ principal }: CallContext, operation: string): void {
  if (principal?.tenant === undefined) return;
  const message = `${operation} is closed to the callers of a tenant: it concerns all rows`;
  throw new LhsError('permission_denied', message);
}

/** Throws interrupted or deadline_exceeded for a call that was aborted, or whose time is over. */
export function requireWanted({ signal, deadline }: CallContext, clock: Clock): void {
  refuseAborted(signal);
  if (deadline !== undefined && deadline <= clock.now()) throw deadlineExceeded();
}

/**
 * The result of a read, or interrupted or deadline_exceeded as soon as its call is aborted or its
 * time is over: the read may wait for a table that does not answer. Then its result is dropped. A
 * result that is there at once is returned.
 */
export async function whileWanted<T>(
  call: CallContext,
  clock: Clock,
  read: () => T | Promise<T>,
): Promise<T> {
  requireWanted(call, clock);
  const answer = read();
  const { signal, deadline } = call;
  if (!(answer instanceof Promise)) return answer;
  if (signal === undefined && deadline === undefined) return answer;
  const result = await endedFirst(call, clock, answer);
  refuseAborted(signal);
  return result;
}

/**
 * Most reads end before the event loop turns. Only one that goes on is watched: listeners and
 * timers of each would take a tenth of the time of a served search.
 */
function endedFirst<T>(call: CallContext, clock: Clock, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let unwatch: (() => void) | undefined;
    const end = () => {
      clearImmediate(turned);
      unwatch?.();
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    const turned = setImmediate(() => {
      unwatch = watch(call, clock, fail);
    });
    answer.then((result) => {
      end();
      resolve(result);
    }, fail);
  });
}

/** Calls `fail` once a call is aborted, or its time is over. Returns what ends the watch. */
function watch(
  { signal, deadline }: CallContext,
  clock: Clock,
  fail: (error: unknown) => void,
): (() => void) | undefined {
  const abort = () => fail(abortedBy(signal!));
  if (signal?.aborted) {
    abort();
    return undefined;
  }
  signal?.addEventListener('abort', abort);
  const late = deadline === undefined ? undefined : rejectLate(deadline, clock, fail);
  return () => {
    late?.abort(ENDED);
    signal?.removeEventListener('abort', abort);
  };
}

/** An abort without a reason builds one with a stack, which takes as long as a search. */
const ENDED = 'the call has ended';

/** Rejects once a deadline has passed, unless what comes back is aborted before. */
function rejectLate(
  deadline: number,
  clock: Clock,
  reject: (error: unknown) => void,
): AbortController {
  // An abort costs 5 µs: only calls with a deadline have one to stop.
  const done = new AbortController();
  const late = () => done.signal.aborted || reject(deadlineExceeded());
  clock.sleep(Math.min(deadline - clock.now(), MOST_SLEEP_MS), done.signal).then(late, reject);
  return done;
}
