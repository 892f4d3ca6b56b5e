// @module-tag campaign
/**
 * Random requests of a tenant's caller, sent to two servers whose tables differ in the rows of
 * another tenant alone: the responses have the same bytes, except for times and random ids, and no
 * word of the other tenant that the request did not have.
 */

import { OPERATION_NAMES, type Operation } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { type CallOver, grpcCalls, restCalls } from '../support/call-over.ts';
import { HostileRequests } from '../support/hostile-requests.ts';
import { CANARIES, startTwoTenants, type TwoTenants } from '../support/two-tenants.ts';

const REQUESTS = byEffort(200, 2500, 20_000);
/** Points in time that stay open: a server has room for 500, and they expire by its own clock. */
const OPEN_PITS = 200;
/** For all requests, on a machine that does other work as well. */
const CAMPAIGN_MS = 3_600_000;
const SEED = Number(process.env.LHS_SEED ?? 11);

let corpora: readonly TwoTenants[];
const closing: (() => void)[] = [];
/** By transport, the same call of both corpora. */
let doors: Readonly<Record<'rest' | 'grpc', readonly CallOver[]>>;

beforeAll(async () => {
  corpora = [await startTwoTenants(1), await startTwoTenants(2)];
  const channels = corpora.map(({ service }) => grpcCalls(service.server.grpc));
  closing.push(...channels.map(({ close }) => close));
  doors = {
    rest: corpora.map(({ service }) => restCalls(service.server.url)),
    grpc: channels.map(({ call }) => call),
  };
});
afterAll(async () => {
  for (const close of closing) close();
  for (const corpus of corpora ?? []) await corpus.stop();
});

/** Times and ids that differ from server to server; all else has to be the same. */
const DECLARED: ReadonlySet<string> = new Set([
  ...['took_ms', 'timings', 'lag_checked_ms', 'snapshot', 'pit_id', 'expires_at', 'id'],
  ...['created_at', 'updated_at', 'created_ms', 'token'],
]);
const masked = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => {
    // A look at the table may not have ended yet: then the lag is unknown.
    if (name.startsWith('lag_')) return undefined;
    if (DECLARED.has(name) && typeof value !== 'number') return '*';
    if (DECLARED.has(name)) return 0;
    if (typeof value !== 'string') return value;
    return value.replaceAll(/\d{15,}|[0-9a-f-]{36}|"[\w-]{40,}"/g, '#');
  });

async function answers(
  transport: 'rest' | 'grpc',
  operation: Operation,
  request: object | readonly object[],
): Promise<readonly string[]> {
  const sent = corpora.map(async ({ acme }, i) => {
    const own = Array.isArray(request) ? request[i] : request;
    const answer = await doors[transport][i](operation, own, { authorization: acme });
    remember(operation, answer.body, i);
    return masked(answer);
  });
  return Promise.all(sent);
}

/** Ids that each server made for the same request. */
const made = { pit: [[], []] as string[][], saved: [[], []] as string[][] };
function remember(operation: Operation, body: unknown, corpus: number): void {
  const { pit_id, id } = body as { pit_id?: string; id?: string };
  if (operation === 'openPit' && pit_id !== undefined) made.pit[corpus].push(pit_id);
  if (operation === 'createSavedQuery' && id !== undefined) made.saved[corpus].push(id);
}

/** Closes the oldest point in time of each server if too many are open. */
async function closeOldest(): Promise<void> {
  if (made.pit[0].length <= OPEN_PITS) return;
  const closed = corpora.map(({ acme }, i) =>
    doors.rest[i]('closePit', { pit_id: made.pit[i].shift() }, { authorization: acme }),
  );
  await Promise.all(closed);
}

/** The request of each server: an id of its own in the place of `$pit` and `$saved`. */
function perServer(request: object, at: number): readonly object[] {
  return corpora.map((_, i) => {
    const own = (list: readonly string[]) => list[at % Math.max(1, list.length)] ?? 'none';
    const text = JSON.stringify(request)
      .replaceAll('$pit', own(made.pit[i]))
      .replaceAll('$saved', own(made.saved[i]));
    return JSON.parse(text) as object;
  });
}

describe('a hostile caller of one tenant', () => {
  it(
    `learns nothing of another tenant in ${REQUESTS} random requests`,
    async () => {
      const requests = new HostileRequests(SEED);
      const seen = new Map<string, number>();
      for (let n = 0; n < REQUESTS; n++) {
        const { operation, request } = requests.next();
        const transport = n % 4 === 3 ? 'grpc' : 'rest';
        const sent = `${transport} ${operation} ${JSON.stringify(request)}`;
        const shown = `seed ${SEED}, request ${n}, ${sent}`;
        const [one, other] = await answers(transport, operation, perServer(request, n));
        await closeOldest();
        expect(other, shown).toBe(one);
        const text = JSON.stringify(request);
        for (const word of CANARIES) {
          if (!text.includes(word)) expect(one.includes(word), shown).toBe(false);
        }
        const status = String((JSON.parse(one) as { status: number }).status);
        seen.set(`${operation} ${status}`, (seen.get(`${operation} ${status}`) ?? 0) + 1);
      }
      // Requests that are all refused would prove nothing.
      const good = [...seen].filter(([name]) => name.endsWith(' 200'));
      expect(good.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 3);
      if (process.env.LHS_SHOW !== undefined) console.log(Object.fromEntries([...seen].sort()));
    },
    CAMPAIGN_MS,
  );

  it('is refused by the routes that count all rows', async () => {
    for (const path of ['/metrics', '/v1/stats/query?query=up', '/v1/stats/alerts']) {
      for (const { service, acme } of corpora) {
        const headers = { authorization: acme };
        const response = await fetch(`${service.server.url}${path}`, { headers });
        expect(response.status, path).toBe(403);
      }
    }
  });

  it('has every operation among its requests', () => {
    const requests = new HostileRequests(SEED);
    const names = new Set(Array.from({ length: 3000 }, () => requests.next().operation));
    const missing = OPERATION_NAMES.filter((name) => !names.has(name));
    expect(missing).toEqual(['login']);
  });
});

describe('the other tenant', () => {
  it('finds its words, so that the servers have them', async () => {
    const [{ rival }] = corpora;
    const query = `title:${CANARIES[0]}`;
    const answer = await doors.rest[0]('search', { query }, { authorization: rival });
    expect((answer.body as { total: number }).total).toBeGreaterThan(10);
  });
});
