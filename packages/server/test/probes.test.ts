import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { openAccess } from '../src/access/open-access.ts';
import { createGateway } from '../src/gateway/gateway.ts';

const backend = { listIndexes: async () => [] } as unknown as BackendApi;

describe('GET /readyz', () => {
  it('answers 503 while what the service needs answers nothing', async () => {
    const ready = () => new Promise<undefined>(() => {});
    const { rest, close } = await createGateway({ backend, access: openAccess, ready });
    const reply = await rest.inject('/readyz');
    expect([reply.statusCode, reply.json().error.code]).toEqual([503, 'unreachable']);
    expect((await rest.inject('/livez')).statusCode).toBe(200);
    await close();
  });

  it('shows what the service says about itself', async () => {
    const ready = async () => ({ missing_shards: { notes: [1] } });
    const { rest, close } = await createGateway({ backend, access: openAccess, ready });
    const reply = await rest.inject('/readyz');
    expect(reply.json()).toEqual({ status: 'ok', missing_shards: { notes: [1] } });
    await close();
  });
});
