import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gateDefinition, gateTable, namedCatalog } from './definition-gate.ts';
import type { SourceNames } from './server-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-gate-'));
mkdirSync(join(folder, 'root/ops/incidents'), { recursive: true });
mkdirSync(join(folder, 'secret'));
symlinkSync(join(folder, 'secret'), join(folder, 'root/out'));
symlinkSync(join(folder, 'root/ops'), join(folder, 'root/in'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MAIN = { type: 'filesystem', warehouse: '/srv/lake' } as const;
const NAMES: SourceNames = {
  catalogs: { main: MAIN, other: { type: 'rest', uri: 'https://catalog' } },
  roots: { lake: join(folder, 'root'), bucket: 's3://cold/lhs' },
  models: { minilm: '/srv/models/minilm' },
};

const definition = (source: string, more = '') => `version: 1
index: a
source: ${source}
key: { identifier: [id] }
fields:
  - { name: title, type: TEXT }
${more}`;

const gatedSource = async (source: string) =>
  parse(await gateDefinition(definition(source), NAMES)).source;

describe('the gate of definitions from the network', () => {
  it('writes the configured catalog in the place of its name', async () => {
    expect(await gatedSource('{ catalog: main, table: ops.a, ref: prod }')).toEqual({
      catalog: MAIN,
      table: 'ops.a',
      ref: 'prod',
    });
  });

  it('keeps all lines where they are, also behind a source of several lines', async () => {
    const text = definition('\n  # remark\n  catalog: main\n  table: ops.a', 'tenant_field: title');
    const gated = await gateDefinition(text, NAMES);
    expect(gated.split('\n').findIndex((line) => line.startsWith('tenant_field'))).toBe(
      text.split('\n').findIndex((line) => line.startsWith('tenant_field')),
    );
    expect(parse(gated)).toEqual({ ...parse(text), source: { catalog: MAIN, table: 'ops.a' } });
  });

  it('writes the folder of a root, and follows links inside of it', async () => {
    const root = join(folder, 'root');
    expect(await gatedSource('{ root: lake, path: ops/incidents }')).toEqual({
      path: join(root, 'ops/incidents'),
    });
    expect(await gatedSource('{ root: lake, path: in/incidents }')).toEqual({
      path: join(root, 'ops/incidents'),
    });
  });

  it('writes the folder of a model, and leaves the included one', async () => {
    const fields = `  - { name: v, type: VECTOR, source: title, model: minilm, dims: 384 }
  - { name: w, type: VECTOR, source: title, model: default, dims: 384 }`;
    const { fields: gated } = parse(
      await gateDefinition(definition('{ catalog: main, table: ops.a }', fields), NAMES),
    );
    expect(gated.map(({ model }: { model?: string }) => model)).toEqual([
      undefined,
      '/srv/models/minilm',
      'default',
    ]);
  });

  it.each([
    ['a catalog of its own', '{ catalog: { type: filesystem, warehouse: / }, table: a.b }'],
    ['a path', '{ path: /etc }'],
    ['a relative path', '{ path: ./lake }'],
    ['an object store', '{ path: "s3://bucket/a", s3: { endpoint: "http://169.254.169.254" } }'],
    ['settings of an object store', '{ catalog: main, table: a.b, s3: { endpoint: "http://x" } }'],
    ['an unknown catalog', '{ catalog: mian, table: a.b }'],
    ['a name of Object.prototype', '{ catalog: constructor, table: a.b }'],
    ['no catalog of several', '{ table: a.b }'],
    ['a list', '[main, a.b]'],
    ['a text', 'main'],
    ['nothing', ''],
    ['an alias', '*x'],
    ['a second source', '{ catalog: main, table: a.b }\nsource: { path: /etc }'],
    ['an escaped second source', '{ catalog: main, table: a.b }\n"\\x73ource": { path: /etc }'],
    ['a second catalog', '{ catalog: main, table: a.b, "catalog": { type: rest, uri: x } }'],
    ['a catalog and a root', '{ catalog: main, table: a.b, root: lake, path: ops }'],
    ['an unknown root', '{ root: nowhere, path: ops }'],
    ['a way out of the root', '{ root: lake, path: ../secret }'],
    ['a longer way out', '{ root: lake, path: ops/../../secret }'],
    ['an absolute path in a root', '{ root: lake, path: /etc/passwd }'],
    ['a URL in a root', '{ root: lake, path: "file:///etc" }'],
    ['a bucket in a root', '{ root: lake, path: "s3://bucket/key" }'],
    ['a backslash', '{ root: lake, path: "..\\\\secret" }'],
    ['a NUL', '{ root: lake, path: "a\\0b" }'],
    ['a link that leads out', '{ root: lake, path: out }'],
    ['a file below a link that leads out', '{ root: lake, path: out/v1.json }'],
  ])('refuses %s', async (_, source) => {
    await expect(gateDefinition(definition(source), NAMES)).rejects.toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^invalid_/) }),
    );
  });

  it.each(['/srv/models/other', '../models', 'https://host/model', 'minilm2', '[minilm]'])(
    'refuses the model %s',
    async (model) => {
      const field = `  - { name: v, type: VECTOR, source: title, model: ${model}, dims: 3 }`;
      const text = definition('{ catalog: main, table: ops.a }', field);
      await expect(gateDefinition(text, NAMES)).rejects.toThrow(/^7:\d+: there is no model/);
    },
  );

  const shapes = (model: string) => `variants:
  - column: meta
    shapes: [{ name: s, fields: [{ path: p, type: VECTOR, model: ${model}, dims: 384 }] }]`;

  it('writes the folder of a model of a shape', async () => {
    const text = definition('{ catalog: main, table: ops.a }', shapes('minilm'));
    const { variants } = parse(await gateDefinition(text, NAMES));
    expect(variants[0].shapes[0].fields[0].model).toBe('/srv/models/minilm');
  });

  it.each(['/srv/models/other', '../models', 'minilm2'])(
    'refuses the model %s of a shape',
    async (model) => {
      const text = definition('{ catalog: main, table: ops.a }', shapes(model));
      await expect(gateDefinition(text, NAMES)).rejects.toThrow(/^9:\d+: there is no model/);
    },
  );

  const stored = (storage: string) =>
    definition('{ catalog: main, table: ops.a }', `storage: ${storage}`);

  it.each([
    ['lake', join(folder, 'root')],
    ['lake/cold/a', join(folder, 'root/cold/a')],
    ['bucket', 's3://cold/lhs'],
    ['bucket/a/b', 's3://cold/lhs/a/b'],
    ['s3://cold/lhs/a/b', 's3://cold/lhs/a/b'],
  ])('writes the place of the storage %s', async (storage, place) => {
    expect(parse(await gateDefinition(stored(storage), NAMES)).storage).toBe(place);
  });

  it.each([
    ...['/var/lib', './cold', '../secret', 'nowhere/cold', 's3://other/cold', 'file:///var/lib'],
    ...['s3://cold/lhs/../b', 's3://cold/lhsb'],
    ...[
      'lake/../../secret',
      'lake/out',
      'bucket/../other',
      'bucket//a',
      'bucket/s3://other',
      '[lake]',
    ],
  ])('refuses the storage %s', async (storage) => {
    await expect(gateDefinition(stored(storage), NAMES)).rejects.toThrow(/^7:\d+: /);
  });

  it('writes the bucket of a root for a table', async () => {
    expect(await gatedSource('{ root: bucket, path: ops/a }')).toEqual({
      path: 's3://cold/lhs/ops/a',
    });
    await expect(gatedSource('{ root: bucket, path: ../a }')).rejects.toThrow(
      'leads out of the root',
    );
  });

  it('names the line, the nearest name and what the server has', async () => {
    await expect(
      gateDefinition(definition('{ catalog: mian, table: a.b }'), NAMES),
    ).rejects.toThrow(
      expect.objectContaining({
        message: '3:9: there is no catalog "mian"; did you mean "main"?',
        hint: 'the server has: catalog main, catalog other, root lake, root bucket',
      }),
    );
  });

  it('ends soon for a bomb of aliases and for deep nesting', async () => {
    const bomb = Array.from({ length: 40 }, (_, i) => `a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
    for (const text of [bomb.join('\n'), '['.repeat(100_000), '{a: '.repeat(50_000)]) {
      await expect(gateDefinition(text, NAMES)).rejects.toThrow(/./);
    }
  });
});

describe('the table of a request from the network', () => {
  it('needs no name of the catalog if there is one', () => {
    const one = { ...NAMES, catalogs: { main: MAIN } };
    expect(gateTable({ table: 'ops.a' }, one)).toEqual({ catalog: MAIN, table: 'ops.a' });
    expect(namedCatalog(undefined, one)).toBe(MAIN);
    expect(() => namedCatalog(undefined, NAMES)).toThrow(/by its name/);
  });

  it('is refused by a server without catalogs, which says so', () => {
    const none = { catalogs: {}, roots: {}, models: {} };
    expect(() => gateTable({ catalog: 'main', table: 'ops.a' }, none)).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining('the configuration of the server names no catalog'),
      }),
    );
  });
});
