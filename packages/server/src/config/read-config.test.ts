import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from './config-schema.ts';
import { parseServerConfig } from './read-config.ts';
import { environmentValues, isLoopback, parseAddress } from './setting-values.ts';
import { SERVER_SETTINGS } from './settings.ts';

const FULL = `rest_addr: 0.0.0.0:8080
auth: true
data_dir: ./data
limits: { calls_per_second: 50 }
tls: { cert: cert.pem, key: /etc/key.pem }
catalogs:
  main: { type: filesystem, warehouse: ./lake }
  prod: { type: rest, uri: "https://catalog", token_env: CATALOG_TOKEN }
roots: { lake: ../lake }
models: { minilm: models/minilm }
issuers:
  - name: okta
    issuer: https://issuer
    audience: lhs
    jwks: { file: keys.json }
    claims: { roles: groups, tenant: org }
    role_names: { search-team: reader }
license: { licensee: Example, nodes_limit: 3 }
`;

const read = (text: string) => parseServerConfig(text, '/etc/lhs/server.yaml');

describe('the configuration of a server', () => {
  it('has single values by path, and names with absolute paths', () => {
    const { values, names, issuers, license } = read(FULL);
    expect(values).toEqual({
      rest_addr: '0.0.0.0:8080',
      auth: true,
      data_dir: '/etc/lhs/data',
      'limits.calls_per_second': 50,
      'tls.cert': '/etc/lhs/cert.pem',
      'tls.key': '/etc/key.pem',
    });
    expect(names.catalogs.main).toEqual({ type: 'filesystem', warehouse: '/etc/lhs/lake' });
    expect(names.roots).toEqual({ lake: '/etc/lake' });
    expect(names.models).toEqual({ minilm: '/etc/lhs/models/minilm' });
    expect(issuers[0].jwks).toEqual({ file: '/etc/lhs/keys.json' });
    expect(license).toEqual({ licensee: 'Example', nodes_limit: 3 });
  });

  it('may be empty', () => {
    expect(read('')).toMatchObject({ values: {}, issuers: [] });
  });

  it.each([
    ['an unknown setting', 'auth: true\nouth: true', '2:1', 'outh'],
    ['an unknown setting of a group', 'limits:\n  brst: 1', '2:3', 'limits.*brst.*burst'],
    ['a wrong type', 'auth: "yes"', '1:1', 'auth'],
    ['a number above the limit', 'limits:\n  burst: 9999999', '2:3', 'limits.burst'],
    ['no port', 'rest_addr: localhost', '1:1', 'rest_addr'],
    ['a catalog without a type', 'catalogs:\n  main: { warehouse: x }', '2:3', 'catalogs.main'],
    ['an unknown setting of a catalog', 'catalogs:\n  m: { type: sql, uri: x, a: 1 }', '2:', 'a'],
    ['a name with a slash', 'roots:\n  a/b: /x', '2:3', 'roots.a/b'],
    [
      'keys over http',
      'issuers:\n  - { name: a, issuer: b, audience: c, claims: {}, jwks: { url: "http://x" } }',
      '2:',
      'https',
    ],
    ['a password in a URL', 'metrics: { server: "http://a:b@c" }', '1:', 'metrics.server'],
    ['no YAML', 'auth: [', '1:', ''],
    ['a second ": "', 'auth:\n b: {\n', '3:', ''],
    ['a nested pair', 'auth: x\n  b: 1', '1:7', 'a second ": " here: indent'],
    ['an alias', 'a: &a 1\nb: *a', '', 'alias'],
    ['a key twice', 'auth: true\nauth: false', '2:1', 'unique'],
  ])('refuses %s with its place', (_, text, place, words) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(
          new RegExp(`^/etc/lhs/server\\.yaml:${place}.*${words}`, 'is'),
        ),
      }),
    );
  });

  it('has the JSON Schema of docs (node scripts/config-schema.ts writes it)', () => {
    const file = new URL('../../../../docs/server-config.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(configJsonSchema());
  });

  it('takes an amount of memory, from 304 MiB on', () => {
    expect(read('memory: 2GiB').values.memory).toBe('2GiB');
    expect(() => read('memory: 100MiB')).toThrow(/server\.yaml:1:1: "memory" is "100MiB".*304MiB/);
    expect(() => read('memory: 2')).toThrow(/"memory" is 2: expected a string/);
  });

  it('has a JSON Schema of the same settings', () => {
    const schema = configJsonSchema() as {
      readonly properties: Readonly<Record<string, { readonly properties?: object }>>;
    };
    const paths = Object.entries(schema.properties).flatMap(([name, { properties }]) =>
      properties === undefined || ['license'].includes(name)
        ? [name]
        : Object.keys(properties).map((own) => `${name}.${own}`),
    );
    const named = ['catalogs', 'roots', 'models', 'issuers', 'license'];
    expect(paths.filter((path) => !named.includes(path)).sort()).toEqual(
      Object.keys(SERVER_SETTINGS).sort(),
    );
  });
});

describe('settings from the environment', () => {
  it('have the types of the settings, and an error names the variable', () => {
    const env = { LHS_AUTH: 'true', LHS_LIMITS_BURST: '7', LHS_TLS_CERT: '/c', OTHER: 'x' };
    expect(environmentValues(env)).toEqual({ auth: true, 'limits.burst': 7, 'tls.cert': '/c' });
    expect(() => environmentValues({ LHS_AUTH: 'maybe' })).toThrow(/LHS_AUTH/);
  });
});

describe('an address', () => {
  it('has a host and a port, and may be of this machine alone', () => {
    expect(parseAddress('[::1]:80', 'addr')).toEqual({ host: '::1', port: 80 });
    const loopback = (text: string) => isLoopback(parseAddress(text, 'addr'));
    expect(['127.0.0.1:1', 'localhost:1', '127.9.9.9:1', '[::1]:1'].map(loopback)).toEqual(
      Array(4).fill(true),
    );
    expect(['0.0.0.0:1', '[::]:1', '10.0.0.1:1', '127.0.0.1.evil:1'].map(loopback)).toEqual(
      Array(4).fill(false),
    );
    expect(() => parseAddress('h:70000', 'addr')).toThrow(/HOST:PORT/);
  });
});
