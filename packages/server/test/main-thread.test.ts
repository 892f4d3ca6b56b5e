// @module-tag campaign
/**
 * Heavy requests of many kinds: none holds the main thread of a server for long. What is measured
 * is the processor time of that thread in each turn of its event loop, so other programs of the
 * machine do not count.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../test/support/effort.ts';
import { exportedLake } from './support/exported-lake.ts';
import { ANSWERED, type HeavyRequest, REFUSED } from './support/heavy-requests.ts';
import { startService, type TestService } from './support/service.ts';

/** Processor time of one turn, in milliseconds. */
const TURN_MS = 50;
let service: TestService;
beforeAll(async () => {
  const values = { threads: 1, 'search_adapter.enabled': true };
  const names = { catalogs: { main: { type: 'filesystem', warehouse: '/nowhere' } as const } };
  service = await startService({ auth: false, prepare: exportedLake, values, names });
});
afterAll(() => service?.stop());

/** The longest turn, in milliseconds of processor time, while `work` runs. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => {
    isOver = true;
  });
  return longest;
}

/** Sends a body; the answer is read and dropped. */
async function post(path: string, body: string, type = 'application/json'): Promise<number> {
  const headers = { 'content-type': type, accept: 'application/json, text/event-stream' };
  const response = await fetch(`${service.server.url}${path}`, { method: 'POST', headers, body });
  await response.body?.pipeTo(new WritableStream());
  return response.status;
}

const MAX_RUNS = 30;

async function holdsShort(request: HeavyRequest, status: number): Promise<void> {
  // Code is loaded and compiled with the first request.
  expect(await post(...request(0))).toBe(status);
  // Other processes of a test run cost this one processor time: the least of some runs counts.
  let least = Number.POSITIVE_INFINITY;
  for (let run = 1; run <= MAX_RUNS && least >= TURN_MS; run++) {
    const sent = request(run);
    least = Math.min(least, await longestTurn(() => post(...sent)));
  }
  expect(least).toBeLessThan(TURN_MS);
}

/** A brief run takes others each day. */
const taken = (requests: Readonly<Record<string, HeavyRequest>>) =>
  everyNth(Object.entries(requests), byEffort(4, 1), seedOfDay());

describe('the main thread of a server', () => {
  it.each(taken(ANSWERED))('is held for a short time by %s', async (_, request) => {
    await holdsShort(request, 200);
  });

  it.each(taken(REFUSED))('is held for a short time by %s', async (_, request) => {
    await holdsShort(request, 400);
  });
});
