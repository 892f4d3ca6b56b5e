import { readFileSync } from 'node:fs';
import type { CatalogConfig, TableConfig } from '@lakehouse-search/contract';
import {
  CATALOG_SETTINGS,
  CATALOG_TYPES,
  checkListTablesRequest,
  S3_SETTINGS,
  type SettingKind,
} from '@lakehouse-search/contract/internal';
import type * as lake from '@lakehouse-search/lake';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { definitionJsonSchema } from './json-schema.ts';
import { readCatalogFile } from './resolve-catalog.ts';

const written = (kinds: Readonly<Record<string, SettingKind>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [key, SAMPLES[kind]]));

/** A value of each kind, as a file has it. */
const SAMPLES: Readonly<Record<SettingKind, unknown>> = {
  text: 'https://catalog.example',
  name: 'a-name',
  flag: true,
  folder: './lake',
  folders: ['./one', '/two'],
  database: 'sqlite:///lake.db',
  s3: { endpoint: 'http://h:9000', region: 'eu-north-1', path_style: true },
};

/** The same values with relative paths resolved. */
const RESOLVED: Partial<Record<SettingKind, unknown>> = {
  folder: '/base/lake',
  folders: ['/base/one', '/two'],
  database: 'sqlite:////base/lake.db',
};

describe('settings of catalogs', () => {
  it('are those of the lake, by their types', () => {
    expectTypeOf<CatalogConfig>().toEqualTypeOf<lake.CatalogConfig>();
    expectTypeOf<TableConfig>().toEqualTypeOf<lake.TableConfig>();
  });

  it('the sample of an object store has every setting', () => {
    expect(Object.keys(SAMPLES.s3 as object)).toEqual(Object.keys(S3_SETTINGS));
  });

  it.each(CATALOG_TYPES)('a catalog file and a request can have every setting (%s)', (type) => {
    const { settings } = CATALOG_SETTINGS[type];
    const file = { type, ...written(settings) };
    const catalog = readCatalogFile(JSON.stringify(file), 'catalog.yaml', '/base');
    const resolved = Object.entries(settings).map(([key, kind]) => [
      key,
      RESOLVED[kind] ?? SAMPLES[kind],
    ]);
    expect(catalog).toEqual({ type, ...Object.fromEntries(resolved) });
    expect(checkListTablesRequest({ catalog })).toEqual({ catalog });
  });

  it.each(CATALOG_TYPES)('a catalog file and a request refuse others (%s)', (type) => {
    const { settings } = CATALOG_SETTINGS[type];
    const file = { type, ...written(settings), secret: 'x' };
    const read = () => readCatalogFile(JSON.stringify(file), 'catalog.yaml', '/base');
    expect(read).toThrow(/unknown key "secret"/);
    expect(() => checkListTablesRequest({ catalog: file })).toThrow(/unknown field .*"secret"/);
  });

  it.each(CATALOG_TYPES)('the JSON Schema has every setting (%s)', (type) => {
    const schema = JSON.stringify(definitionJsonSchema());
    const { required, settings } = CATALOG_SETTINGS[type];
    const from = schema.indexOf(`{"type":{"const":"${type}"}`);
    const { properties } = firstValue(schema.slice(from));
    expect(Object.keys(properties)).toEqual(['type', ...Object.keys(settings)]);
    expect(properties[required]).toEqual({ type: 'string', minLength: 1 });
  });

  it('the page of definitions names every setting', () => {
    const page = readFileSync(
      new URL('../../../../../docs/definition.md', import.meta.url),
      'utf8',
    );
    const section = page.slice(page.indexOf('\n## source'), page.indexOf('\n## key'));
    const all = CATALOG_TYPES.flatMap((type) => Object.keys(CATALOG_SETTINGS[type].settings));
    for (const key of [...all, ...Object.keys(S3_SETTINGS)]) expect(section).toContain(key);
  });
});

/** `properties` of a schema in which a map of properties comes first in the text. */
function firstValue(text: string): { properties: Record<string, unknown> } {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}') depth--;
    if (depth === 0) return { properties: JSON.parse(text.slice(0, i + 1)) };
  }
  throw new Error('no map');
}
