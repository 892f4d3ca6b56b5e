import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Definition } from '@lakehouse-search/engine';
import { definitionAt } from '@lakehouse-search/engine/internal';
import { afterAll, describe, expect, it } from 'vitest';
import { admitDefinition } from './admit-definition.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-admit-'));
mkdirSync(join(folder, 'root'));
mkdirSync(join(folder, 'secret'));
symlinkSync(join(folder, 'secret'), join(folder, 'root', 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

const MAIN = { type: 'rest', uri: 'https://catalog.example', token_env: 'TOKEN' } as const;
const admit = admitDefinition({
  catalogs: { main: MAIN, files: { type: 'filesystem', warehouse: join(folder, 'lake') } },
  roots: { data: join(folder, 'root'), bucket: 's3://bucket/cold' },
  models: { own: join(folder, 'model') },
});
const definitionOf = (source: object) =>
  definitionAt(
    `version: 1\nindex: t\nsource: ${JSON.stringify(source)}\n` +
      'key: { identifier: [id] }\nfields: [{ name: title, type: TEXT }]\n',
    folder,
  );
const ofMain = { catalog: MAIN, table: 'a.b' };
const withModel = (model: string) => ({
  ...definitionOf(ofMain).fields[0],
  vector: { similarity: 'cosine' as const, index: 'flat' as const, model },
});

interface Case {
  readonly what: string;
  readonly source: object;
  readonly more?: Partial<Definition>;
}

const cases = (all: readonly (readonly [string, object, Partial<Definition>?])[]): Case[] =>
  all.map(([what, source, more = {}]) => ({ what, source, more }));

describe('a definition of a backup', () => {
  it.each(
    cases([
      ['a configured catalog', ofMain],
      [
        'one whose relative path is its folder',
        {
          catalog: { type: 'filesystem', warehouse: './lake' },
          table: 'a.b',
        },
      ],
      ['a folder in a root', { path: join(folder, 'root', 'table') }],
      ['a storage in a root', ofMain, { storage: 's3://bucket/cold/t' }],
    ]),
  )('with $what is admitted', ({ source, more }) => {
    expect(() => admit({ ...definitionOf(source), ...more })).not.toThrow();
  });

  it.each(
    cases([
      ['another host', { ...ofMain, catalog: { ...MAIN, uri: 'https://evil.example' } }],
      ['another variable', { ...ofMain, catalog: { ...MAIN, token_env: 'LHS_ADMIN_PASSWORD' } }],
      ['one setting more', { ...ofMain, catalog: { ...MAIN, allowed_roots: ['/'] } }],
      ['one setting less', { ...ofMain, catalog: { type: 'rest', uri: MAIN.uri } }],
      ['another warehouse', { ...ofMain, catalog: { type: 'filesystem', warehouse: folder } }],
      ['a database', { ...ofMain, catalog: { type: 'sql', uri: 'postgres://evil/db' } }],
      ['a folder beside a root', { path: join(folder, 'root-2') }],
      ['a folder above a root', { path: join(folder, 'root', '..', 'secret') }],
      ['a folder behind a link', { path: join(folder, 'root', 'link', 'table') }],
      ['an object store', { path: 's3://other/table' }],
      [
        'a host of an object store',
        {
          path: join(folder, 'root', 'table'),
          s3: { endpoint: 'https://evil.example' },
        },
      ],
      ['a storage elsewhere', ofMain, { storage: 's3://bucket/colder' }],
      ['a storage above a root', ofMain, { storage: 's3://bucket/cold/../other' }],
      ['a model by its path', ofMain, { fields: [withModel('/etc')] }],
    ]),
  )('with $what is refused by name', ({ source, more }) => {
    const judged = { ...definitionOf(source), ...more };
    expect(() => admit(judged)).toThrow(/has not signed the backup/);
  });
});
