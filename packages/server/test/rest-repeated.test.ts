import type { Principal, SearchRequest, SearchResponse } from '@lakehouse-search/contract';
import { LocalEngine } from '@lakehouse-search/engine/local/internal';
import type { CallRecord } from '@lakehouse-search/server';
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type ServedNotes, serveNotes } from './served-notes.ts';

let served: ServedNotes;
const records: CallRecord[] = [];
let refused: string | undefined;
let recalls: MockInstance<LocalEngine['recall']>;
beforeAll(async () => {
  recalls = vi.spyOn(LocalEngine.prototype, 'recall');
  const engine = { freshnessMs: 60_000, memory: { results: 2 ** 20 } };
  served = await serveNotes(
    {
      observer: { ended: (record) => records.push(record) },
      admit: ({ principal }) => {
        if (principal?.subject === refused) throw new Error('refused');
        return undefined;
      },
    },
    engine,
  );
});
afterAll(async () => {
  await served.close();
  recalls.mockRestore();
});

const REQUEST = { index: 'notes', query: '*:*', limit: 50 };
const hits = () => (served.backend as LocalEngine).resultCache?.hits ?? 0;
const send = (body: string, principal?: Partial<Principal>, headers = {}) => {
  const caller = JSON.stringify({ subject: 'a', scopes: ['search'], ...principal });
  return fetch(`${served.restUrl}/v1/search`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      authorization: `Test ${encodeURIComponent(caller)}`,
      ...headers,
    },
  });
};
const answer = async (body: string, principal?: Partial<Principal>, headers = {}) => {
  const response = await send(body, principal, headers);
  return { status: response.status, value: (await response.json()) as SearchResponse };
};
/** An answer without what says when it was given. */
const content = (value: object) => ({ ...value, took_ms: 0, lag_checked_ms: 0, lag_snapshots: 0 });

/** Sends a request until the server has kept its body. */
async function repeat(request: SearchRequest, principal?: Partial<Principal>): Promise<string> {
  const body = JSON.stringify(request);
  for (let before = hits(); hits() < before + 2; ) await send(body, principal);
  return body;
}

describe('a repeated body', () => {
  it('has the answer that it had, and a record of each call', async () => {
    const body = await repeat(REQUEST);
    const [before, recorded] = [hits(), records.length];
    const { value } = await answer(body, {}, { 'x-request-id': 'again' });
    expect(hits()).toBe(before + 1);
    expect(recalls.mock.results.at(-1)?.value).toMatchObject({ members: { hits: value.hits } });
    expect(content(value)).toEqual(content(await served.backend.search(REQUEST)));
    await vi.waitFor(() => expect(records.length).toBeGreaterThan(recorded));
    expect(records.at(-1)).toMatchObject({
      ...{ request_id: 'again', operation: 'search', index: 'notes', subject: 'a', status: 200 },
      ...{ bytes_in: body.length, bytes_out: JSON.stringify(value).length },
    });
  });

  it('is answered by the rights and the tenant of each caller', async () => {
    const body = await repeat(REQUEST);
    const all = await answer(body);
    const rival = { subject: 'r', tenant: 'rival' };
    expect((await answer(body, rival)).value.total).toBe(1);
    await repeat(REQUEST, rival);
    expect((await answer(body, rival)).value.total).toBe(1);
    expect((await answer(body)).value.total).toBe(all.value.total);
    expect((await answer(body, { indexes: ['other'] })).status).toBe(403);
    expect((await answer(body, { subject: 'nobody' })).status).toBe(401);
    refused = 'busy';
    expect((await answer(body, { subject: 'busy' })).status).toBe(500);
  });

  it('is answered by the newest commit', async () => {
    const body = await repeat(REQUEST);
    const before = await answer(body);
    await served.append('later');
    await served.backend.sync({ index: 'notes' });
    const after = await answer(body);
    expect(after.value.total).toBe(before.value.total + 1);
    expect(after.value.snapshot).not.toBe(before.value.snapshot);
  });

  it('is refused by its headers, and read with the fields of its URL', async () => {
    const body = await repeat(REQUEST);
    expect((await answer(body, {}, { 'lhs-timeout-ms': 'soon' })).status).toBe(400);
    expect((await answer(body, {}, { 'content-encoding': 'gzip' })).status).toBe(400);
    const headers = { 'content-type': 'application/json' };
    const url = `${served.restUrl}/v1/search?nonsense=1`;
    const strange = await fetch(url, { method: 'POST', body, headers });
    expect(strange.status).toBe(400);
    const facets = await fetch(`${served.restUrl}/v1/facets`, { method: 'POST', body, headers });
    expect(facets.status).toBe(400);
  });

  it('does not make another body known', async () => {
    await repeat(REQUEST);
    const wrong = await answer(JSON.stringify({ ...REQUEST, nonsense: 1 }));
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.value)).toContain('nonsense');
  });
});
