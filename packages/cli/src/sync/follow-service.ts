import { setTimeout } from 'node:timers/promises';
import { type FollowEvent, type FollowRequest, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The service is away, or about to end. */
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'overloaded', 'closed']);

/**
 * Follows an index of a service until the signal aborts. A service that goes away after its first
 * event is tried again for ever; each attempt is a `retry` event. Throws as `follow`.
 */
export async function* followService(
  service: Pick<BackendApi, 'follow'>,
  request: FollowRequest,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  let isConnected = false;
  let failures = 0;
  while (!signal.aborted) {
    let fault = new LhsError('unreachable', 'the service has ended the stream');
    try {
      for await (const event of service.follow(request, { signal })) {
        isConnected = true;
        failures = 0;
        yield event;
      }
    } catch (error) {
      if (!isConnected || !(error instanceof LhsError) || !AWAY.has(error.code)) throw error;
      fault = error;
    }
    if (signal.aborted) return;
    const { code, message } = fault;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures++, 30));
    const in_ms = Math.ceil((longest * (1 + Math.random())) / 2);
    yield { event: 'retry', at: new Date().toISOString(), code, message, in_ms };
    await setTimeout(in_ms, undefined, { signal }).catch(() => {});
  }
}
