import { describe, expect, it } from 'vitest';
import { openAccess } from '../access/open-access.ts';
import { Calls, type CallsOptions } from '../calls/calls.ts';
import { createRest } from './rest-server.ts';

describe('a REST server', () => {
  it('waits neither for headers nor for bodies for ever', () => {
    const calls = new Calls({ backend: {} as CallsOptions['backend'], access: openAccess });
    const { server } = createRest(calls, {});
    expect([server.headersTimeout, server.requestTimeout]).toEqual([20_000, 300_000]);
  });
});
