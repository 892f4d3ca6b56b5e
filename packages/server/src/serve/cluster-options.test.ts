import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advertised, clusterOptions } from './cluster-options.ts';
import { serveAll } from './serve-all.ts';
import { serveControlPlane } from './serve-control-plane.ts';
import { serveGateway } from './serve-gateway.ts';
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

describe('the shards of a node', () => {
  it('are assigned by its control plane alone, if it has one', async () => {
    const served = serverOptions({ 'log.level': 'silent' }, {}, '/none/data');
    const own = { 'cluster.shard_ordinals': '0,2', 'cluster.control_plane': '127.0.0.1:1' };
    await expect(serveNode({ options: served, cluster: options(own) })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"cluster.shard_ordinals"'),
    });
  });
});

describe('the addresses of a cluster', () => {
  const anywhere = { rest_addr: '0.0.0.0:0', addr: '0.0.0.0:0', 'log.level': 'silent' };
  const names = { catalogs: {}, roots: {}, models: {} };
  const times = { leaseMs: 1000, nodeMs: 1000, leaveMs: 1000 };
  const key = KEY.LHS_CLUSTER_KEY;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lhs-addresses-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const served = (name: string) => serverOptions(anywhere, {}, join(folder, name));

  it('are open to other machines with a key, without further credentials', async () => {
    const plane = await serveControlPlane({ options: served('plane'), names, times, key });
    const node = await serveNode({ options: served('node'), cluster: options({}) });
    expect([plane.grpc, node.grpc]).toEqual(Array(2).fill(expect.stringMatching(/^0\.0\.0\.0:/)));
    await node.stop();
    await plane.stop();
  });

  it('are of this machine without a key', async () => {
    const refused = { code: 'invalid_argument', message: expect.stringContaining('without a key') };
    const cluster = clusterOptions({}, {});
    const node = serveNode({ options: served('node'), cluster });
    await expect(node).rejects.toMatchObject(refused);
    const plane = serveControlPlane({ options: served('plane'), names, times });
    await expect(plane).rejects.toMatchObject(refused);
  });

  it('are of this machine for a gateway without credentials: its callers have no key', async () => {
    const cluster = options({ 'cluster.nodes': '127.0.0.1:1' });
    const request = { options: served('gateway'), names, issuers: [], env: {}, cluster };
    const message = expect.stringContaining('would let everybody in');
    await expect(serveGateway(request)).rejects.toMatchObject({ message });
    await expect(serveAll(request)).rejects.toMatchObject({ message });
  });
});
