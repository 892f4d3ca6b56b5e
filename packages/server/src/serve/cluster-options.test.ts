import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { advertised, clusterOptions } from './cluster-options.ts';
import { serveControlPlane } from './serve-control-plane.ts';
import { serveNode } from './serve-node.ts';
import { serverOptions } from './server-options.ts';

const KEY = { LHS_CLUSTER_KEY: 'k'.repeat(32) };
const options = (values: Record<string, string>) => clusterOptions(values, KEY);

describe('the address at which others reach a node', () => {
  it.each([
    ['127.0.0.1:9001', {}, '127.0.0.1:9001'],
    ['0.0.0.0:9001', {}, `${hostname()}:9001`],
    ['[::]:9001', {}, `${hostname()}:9001`],
    ['0.0.0.0:9001', { 'cluster.advertise': 'node-1.node:9001' }, 'node-1.node:9001'],
  ])('of one that listens at %s with %j is %s', (listening, values, expected) => {
    expect(advertised(options(values), listening)).toBe(expected);
  });

  it('is checked', () => {
    expect(() => options({ 'cluster.advertise': 'node-1' })).toThrow('cluster.advertise');
  });
});

describe('TLS within a cluster', () => {
  const tls = { 'tls.cert': '/none/cert.pem', 'tls.key': '/none/key.pem' };
  const served = serverOptions({ ...tls, 'log.level': 'silent' }, {}, '/none/data');
  const refused = { code: 'invalid_argument', message: expect.stringContaining('"tls.cert"') };

  it('is refused by a node: gateways would not reach it', async () => {
    await expect(serveNode({ options: served, cluster: options({}) })).rejects.toMatchObject(
      refused,
    );
  });

  it('is refused by a control plane: nodes would not reach it', async () => {
    const names = { catalogs: {}, roots: {}, models: {} };
    const times = { leaseMs: 1000, nodeMs: 1000, leaveMs: 1000 };
    const key = KEY.LHS_CLUSTER_KEY;
    const started = serveControlPlane({ options: served, names, times, key });
    await expect(started).rejects.toMatchObject(refused);
  });
});
