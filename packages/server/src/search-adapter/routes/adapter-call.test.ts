import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { openAccess } from '../../access/open-access.ts';
import { Calls, type CallsOptions } from '../../calls/calls.ts';
import { NOTES } from '../../rest/rest-call.ts';
import { admit } from './adapter-call.ts';
import { Descriptions } from './descriptions.ts';
import { OpenScrolls } from './open-scrolls.ts';

/** Admits a request whose query or headers may be wrong; the calls that are not released. */
async function runningAfter({ query = {}, headers = {} }): Promise<number> {
  let running = 0;
  const begin = () => {
    running++;
    return () => {
      running--;
    };
  };
  const backend = {} as CallsOptions['backend'];
  const calls = new Calls({ backend, access: openAccess, admit: begin });
  const request = { id: 'r', ip: '::1', params: { index: 'notes' }, query, headers, [NOTES]: {} };
  const parts = {
    ...{ calls, authorization: undefined, body: undefined, version: '0' },
    ...{ descriptions: new Descriptions(), scrolls: new OpenScrolls() },
    request: request as unknown as FastifyRequest,
    reply: { raw: { once: () => {} } } as unknown as FastifyReply,
  };
  await admit(parts, 'search').then(
    ({ release }) => release(),
    () => {},
  );
  return running;
}

describe('a request to the adapter', () => {
  it('is released when it has been answered', async () => {
    expect(await runningAfter({})).toBe(0);
  });

  it('is released if a parameter comes twice', async () => {
    expect(await runningAfter({ query: { q: ['a', 'b'] } })).toBe(0);
  });

  it('is released if its time is no number', async () => {
    expect(await runningAfter({ headers: { 'lhs-timeout-ms': 'soon' } })).toBe(0);
  });
});
