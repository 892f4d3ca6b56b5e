import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionAt } from '@lakehouse-search/engine/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { admitCatalog } from './admit-catalog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-admit-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  vi.stubEnv('PYICEBERG_HOME', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const SECRET = '{ type: rest, uri: "https://catalog.example", token_env: TOKEN }';
const definitionOf = (source: string) =>
  definitionAt(
    `version: 1\nindex: t\nsource: ${source}\nfields: [{ name: title, type: TEXT }]\n`,
    '/base',
  );
const ofCatalog = (catalog: string) => definitionOf(`{ catalog: ${catalog}, table: a.b }`);

describe('the definition of a backup that another data folder has signed', () => {
  it.each([
    '{ catalog: { type: filesystem, warehouse: ./lake }, table: a.b }',
    '{ catalog: { type: rest, uri: "https://catalog.example" }, table: a.b }',
    '{ catalog: { type: sql, uri: "sqlite:///c.db" }, table: a.b }',
    '{ path: ./table }',
  ])('is taken if it sends no secret: %s', (source) => {
    expect(() => admitCatalog(definitionOf(source))).not.toThrow();
  });

  it.each([
    SECRET,
    '{ type: rest, uri: "https://catalog.example", credential_env: HOME }',
    '{ type: sql, uri: "postgres://catalog.example/db" }',
  ])('is refused if it sends secrets to a catalog that is not configured: %s', (catalog) => {
    expect(() => admitCatalog(ofCatalog(catalog))).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    );
  });

  it('is taken with a catalog of the configuration, with equal settings alone', () => {
    mkdirSync(join(folder, 'lhs'));
    writeFileSync(join(folder, 'lhs', 'config.yaml'), `catalogs: { main: ${SECRET} }\n`);
    expect(() => admitCatalog(ofCatalog(SECRET))).not.toThrow();
    const other = SECRET.replace('TOKEN', 'AWS_SECRET_ACCESS_KEY');
    expect(() => admitCatalog(ofCatalog(other))).toThrow();
  });
});
