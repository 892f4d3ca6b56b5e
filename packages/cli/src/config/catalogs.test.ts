import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogNames, namedCatalog } from './catalogs.ts';
import { tablePlace } from './settings.ts';

function home(own: string, pyiceberg = '', variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-catalogs-'));
  mkdirSync(join(folder, 'config', 'lhs'), { recursive: true });
  writeFileSync(join(folder, 'config', 'lhs', 'config.yaml'), own);
  writeFileSync(join(folder, '.pyiceberg.yaml'), pyiceberg);
  return { XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder, ...variables } as Record<
    string,
    string
  >;
}

const PYICEBERG = `catalog:
  prod:
    uri: https://catalog.example
    token: secret
    warehouse: main
    s3.endpoint: http://store:9000
    s3.path-style-access: true
    py-io-impl: pyiceberg.io.fsspec.FsspecFileIO
  lite:
    type: sql
    uri: postgresql+psycopg2://u@h/db
    warehouse: file:///lake
  data:
    type: glue
`;

describe('catalogs by name', () => {
  it('come from the configuration file; relative folders begin at it', () => {
    const env = home('catalogs:\n  lake: { type: filesystem, warehouse: ./lake }\n');
    expect(namedCatalog('lake', env)).toEqual({
      type: 'filesystem',
      warehouse: join(env.XDG_CONFIG_HOME, 'lhs', 'lake'),
    });
    expect(namedCatalog('other', env)).toBe(undefined);
  });

  it('name the wrong setting with its catalog', () => {
    const env = home('catalogs:\n  lake: { type: rest, url: http://h }\n');
    expect(() => namedCatalog('lake', env)).toThrow(
      /config\.yaml: catalog "lake": unknown key "url" .* did you mean "uri"\?/,
    );
  });

  it('come from the file of PyIceberg; a token stays out of the settings', () => {
    const env = home('', PYICEBERG);
    expect(namedCatalog('prod', env)).toEqual({
      type: 'rest',
      uri: 'https://catalog.example',
      token_env: 'PYICEBERG_CATALOG__PROD__TOKEN',
      warehouse: 'main',
      s3: { endpoint: 'http://store:9000', path_style: true },
    });
    expect(env.PYICEBERG_CATALOG__PROD__TOKEN).toBe('secret');
    expect(namedCatalog('lite', env)).toEqual({
      type: 'sql',
      uri: 'postgresql://u@h/db',
      name: 'lite',
      warehouse: '/lake',
    });
  });

  it('of a type that cannot be read are refused', () => {
    expect(() => namedCatalog('data', home('', PYICEBERG))).toThrow(
      /catalog "data" of .*\.pyiceberg\.yaml has type "glue"/,
    );
  });

  it('come from the variables of PyIceberg, which win over its file', () => {
    const env = home('', PYICEBERG, {
      PYICEBERG_CATALOG__PROD__URI: 'https://other.example',
      PYICEBERG_CATALOG__NEW__URI: 'sqlite:////c.db',
    });
    expect(namedCatalog('prod', env)).toMatchObject({ uri: 'https://other.example' });
    expect(namedCatalog('new', env)).toEqual({ type: 'sql', uri: 'sqlite:////c.db', name: 'new' });
    expect(catalogNames(env)).toEqual(['prod', 'lite', 'data', 'new']);
  });
});

describe('the place of tables by settings', () => {
  it('is that of the first origin with a warehouse or a catalog', () => {
    const env = home('warehouse: /user\nprofiles:\n  p: { catalog: prod }\n');
    const place = (flags: object, more: object = {}) =>
      tablePlace(flags, { ...env, ...more }, env.HOME);
    expect(place({})).toEqual({ warehouse: '/user' });
    expect(place({ profile: 'p' })).toEqual({ catalog: 'prod' });
    expect(place({}, { LHS_CATALOG: 'c' })).toEqual({ catalog: 'c' });
    expect(tablePlace({}, home(''), env.HOME)).toBe(undefined);
  });
});
