import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { advertised, clusterOptions } from './cluster-options.ts';

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
