import type { Backend, StartJobRequest } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { gatedBackend } from './gated-backend.ts';
import { NO_CONFIG } from './server-config.ts';

const started: StartJobRequest[] = [];
const backend = {
  startJob: async (request: StartJobRequest) => {
    started.push(request);
  },
} as unknown as Backend;
const gated = gatedBackend(backend, NO_CONFIG.names);

describe('a job that a request over the network starts', () => {
  it.each([
    [{ kind: 'backup', index: 'a', target: '/tmp/x' }, '"target"'],
    [{ kind: 'restore', target: 's3://a/b' }, '"target"'],
    [{ kind: 'restore', base_dir: '/tmp' }, '"base_dir"'],
    [{ kind: 'erase', index: 'a', keys: [], backups: ['/tmp/x'] }, '"backups"'],
    [{ kind: 'alter', index: 'a', apply: true, definition_yaml: '', base_dir: '/' }, '"base_dir"'],
    [
      {
        ...{ kind: 'alter', index: 'a', apply: true },
        definition_yaml: 'version: 1\nindex: a\nsource: { path: /etc }\nfields: []\n',
      },
      'needs a catalog by its name',
    ],
  ] as const)('is gated as its operation: %j', async (request, message) => {
    const call = gated.startJob(request as StartJobRequest);
    await expect(call).rejects.toThrow(message);
    expect(started).toEqual([]);
  });

  it('passes if it names nothing of its own', async () => {
    const request = { kind: 'compact', index: 'a' } as const;
    await gated.startJob(request);
    expect(started).toEqual([request]);
  });
});

describe('a request over the network that is no object', () => {
  it('is left to the check of the backend, which refuses it', async () => {
    const seen: unknown[] = [];
    const own = new Proxy({} as Backend, {
      get: () => async (request: unknown) => void seen.push(request),
    });
    const all = gatedBackend(own, NO_CONFIG.names);
    const names = ['describeSource', 'listTables', 'createIndex', 'alterIndex', 'restore'] as const;
    for (const name of names)
      for (const request of [null, 7, 'x']) await all[name](request as never);
    expect(seen).toHaveLength(3 * names.length);
  });
});

describe('a change of a definition at a server without access to tables', () => {
  it('is unsupported', async () => {
    const definition_yaml = 'version: 1\nindex: a\n';
    await expect(gated.alterIndex({ index: 'a', definition_yaml })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'this server has no access to tables',
    });
  });
});

describe('an erasure that is requested over the network', () => {
  it('names no places of backups', async () => {
    const request = { index: 'a', keys: [], backups: ['/tmp/x'] };
    await expect(gated.checkErasure(request)).rejects.toThrow('"backups"');
    await expect(gated.runErasure(request)).rejects.toThrow('"backups"');
  });
});
