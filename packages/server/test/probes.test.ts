import type { Backend } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { openAccess } from '../src/access/open-access.ts';
import { createGateway } from '../src/gateway/gateway.ts';

const backend = { listIndexes: async () => [] } as unknown as Backend;

describe('GET /readyz', () => {
  it('answers 503 while what the service needs answers nothing', async () => {
    const ready = () => new Promise<void>(() => {});
    const { rest, close } = await createGateway({ backend, access: openAccess, ready });
    const reply = await rest.inject('/readyz');
    expect([reply.statusCode, reply.json().error.code]).toEqual([503, 'unreachable']);
    expect((await rest.inject('/livez')).statusCode).toBe(200);
    await close();
  });
});
