import { describe, expect, it } from 'vitest';
import { consoleService } from './console-service.ts';
import { httpParts } from './routes.ts';
import { shownError } from './service-error.ts';
import { type Credentials, type Kept, tabSession } from './session.ts';

const ada: Credentials = { scheme: 'Bearer', token: 'T1', user: 'ada' };

function answering(status: number, text: string) {
  const seen: { url: string; init: RequestInit }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    seen.push({ url, init });
    return new Response(text, { status });
  }) as typeof fetch;
  let refusals = 0;
  const session = tabSession(undefined);
  const service = consoleService({
    url: 'http://h:1/sub/',
    session,
    fetch: send,
    refused: () => refusals++,
  });
  return { service, session, seen, refusals: () => refusals };
}

describe('routes of the console', () => {
  it('put fields into path, query or body', () => {
    expect(httpParts('cancelJob', { job_id: 'a/b' })).toEqual({
      method: 'DELETE',
      target: 'v1/jobs/a%2Fb',
    });
    expect(httpParts('listJobs', { index: 'x y', limit: 5, state: undefined })).toEqual({
      method: 'GET',
      target: 'v1/jobs?index=x+y&limit=5',
    });
    expect(httpParts('setRoles', { subject: 'a b', roles: ['reader'] })).toEqual({
      method: 'PUT',
      target: 'v1/users/a%20b/roles',
      body: '{"roles":["reader"]}',
    });
    expect(httpParts('search', { query: 'a' }).body).toBe('{"query":"a"}');
  });
});

describe('the service of the console', () => {
  it('is called below its URL, with the credentials of the tab and no others', async () => {
    const { service, session, seen } = answering(200, '[]');
    session.begin(ada);
    expect(await service.call('listIndexes', {})).toEqual([]);
    expect(seen[0].url).toBe('http://h:1/sub/v1/indexes');
    expect(seen[0].init.headers).toEqual({ authorization: 'Bearer T1' });
    expect(seen[0].init.credentials).toBe('omit');
  });

  it('shows errors with their place and hint', async () => {
    const details = { hint: 'h', place: { text: 'a', from: 0, to: 1 } };
    const body = { error: { code: 'invalid_query', message: 'm', status: 400, details } };
    const { service, refusals } = answering(400, JSON.stringify(body));
    const error = shownError(await service.call('search', {}).catch((thrown) => thrown));
    expect(error).toMatchObject({ code: 'invalid_query', message: 'm', status: 400, details });
    expect(refusals()).toBe(0);
  });

  it('ends a session that is refused, but not by a wrong password', async () => {
    const { service, refusals } = answering(401, '<html>');
    const wrong = { username: 'a', password: 'b' };
    await expect(service.call('login', wrong)).rejects.toThrow('HTTP status 401');
    expect(refusals()).toBe(0);
    await expect(service.call('listIndexes', {})).rejects.toThrow('401');
    expect(refusals()).toBe(1);
  });

  it('is unreachable if nothing answers, and throws the reason of an aborted call', async () => {
    const gone = (async () => {
      throw new TypeError('fetch failed');
    }) as typeof fetch;
    const session = tabSession(undefined);
    const service = consoleService({ url: 'http://h', session, fetch: gone, refused() {} });
    await expect(service.call('listJobs', {})).rejects.toMatchObject({ code: 'unreachable' });
    const signal = AbortSignal.abort(new Error('left'));
    await expect(service.call('listJobs', {}, signal)).rejects.toThrow('left');
  });
});

describe('the session of a tab', () => {
  it('survives a reload and ends with a log out', () => {
    const values = new Map<string, string>();
    const kept: Kept = {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
    tabSession(kept).begin(ada);
    const reloaded = tabSession(kept);
    expect(reloaded.current()).toEqual(ada);
    reloaded.end();
    expect([reloaded.current(), values.size]).toEqual([undefined, 0]);
  });

  it('works if the browser refuses storage, or has another text in it', () => {
    const refusing: Kept = {
      getItem: () => 'no JSON',
      setItem() {
        throw new Error('refused');
      },
      removeItem() {
        throw new Error('refused');
      },
    };
    const session = tabSession(refusing);
    expect(session.current()).toBeUndefined();
    session.begin(ada);
    expect(session.current()).toEqual(ada);
    session.end();
    expect(session.current()).toBeUndefined();
  });
});
