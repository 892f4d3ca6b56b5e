import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/support/packed.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { Home } from './child.ts';
import { startServed } from './served.ts';

const home = new Home();
afterAll(() => home.dispose());

const text = { kind: 'string' } as const;
const schema = schemaOf({
  id: 'long',
  'my-title': text,
  labels: { kind: 'list', elementId: 5, elementRequired: true, element: text },
  meta: 'variant',
});

const catalog = { type: 'filesystem', warehouse: home.path('lake') } as const;

beforeAll(async () => {
  await createTable(catalog, 'a.t', { schema });
  const rows = [{ id: 1, 'my-title': 'one', labels: ['a', 'b'] }];
  await appendRows({ catalog, table: 'a.t' }, { kind: 'rows', rows });
  const definition = `version: 1
index: 2-odd_names
source: { catalog: ${JSON.stringify(catalog)}, table: a.t, ref: main }
key: { identifier: [id] }
fields:
  - { name: id, type: LONG, fast: false, cached: true }
  - { name: my-title, type: TEXT, cached: true }
  - { name: labels, type: KEYWORD, fast: true, cached: true, indexed: false }
  - { name: both, source: [my-title], type: TEXT }
variants: [{ column: meta, flatten: true }]
`;
  await home.json(['index', 'create', '-f', '-'], { input: definition });
  await home.json(['index', 'reindex', '2-odd_names']);
});

/** What the compiler says of a program with the declarations of this clone. */
function compiled(program: string): string {
  writeFileSync(home.path('program.mts'), program);
  const declared = (path: string) => [`${ROOT}packages/${path}.d.ts`];
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    typeRoots: [`${ROOT}node_modules/@types`],
    paths: {
      '@lakehouse-search/engine': declared('engine/dist/index'),
      '@lakehouse-search/client/rest': declared('client/dist/rest'),
    },
  };
  writeFileSync(
    home.path('tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.mts'] }),
  );
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
  const args = [compiler, '-p', home.folder];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

describe('index types', () => {
  it('prints TypeScript that types searches of an index', async () => {
    const { stdout, code } = await home.run(['index', 'types', '2-odd_names']);
    expect(code).toBe(0);
    const uses = `
import { type Backend, typed } from '@lakehouse-search/engine';
declare const local: Backend;
const backend = typed(local, _2OddNamesIndex);
const index = '2-odd_names';
export async function right() {
  const sort = [{ field: 'labels' }, { field: 'meta.a.b' }] as const;
  const found = await backend.search({ index, sort, facets: { fields: ['labels'] } });
  const fields = found.hits[0]?.fields;
  const title: string | undefined = fields?.['my-title'];
  const labels: readonly string[] | undefined = fields?.labels;
  const id: number | string | undefined = fields?.id;
  await backend.search({ index, ast: { exists: { field: 'both' } } });
  return [title, labels, id];
}
export function wrong() {
  // @ts-expect-error
  void backend.search({ index, fields: ['both'] });
  // @ts-expect-error
  void backend.search({ index, sort: [{ field: 'id' }] });
  // @ts-expect-error
  void backend.search({ index: '2-odd-names' });
}
`;
    expect(compiled(stdout + uses)).toBe('');
  });

  it('prints of a service what compiles, though it hides folders of catalogs', async () => {
    const settings = { catalogs: { main: catalog } };
    writeFileSync(home.path('lhs-server.yaml'), JSON.stringify(settings));
    for (const config of [[], ['--config', home.path('lhs-server.yaml')]]) {
      const served = await startServed(home, config);
      const printed = await home.run(['index', 'types', '2-odd_names', '--url', served.url]);
      await served.stop();
      expect(printed.stdout).toContain(config.length === 0 ? "'filesystem'" : "'main'");
      expect(printed.stdout).not.toContain(home.folder);
      expect(compiled(printed.stdout)).toBe('');
    }
  });

  it('gives the same text as JSON, and needs an index', async () => {
    const { stdout } = await home.run(['index', 'types', '2-odd_names']);
    const { types } = await home.json<{ types: string }>(['index', 'types', '2-odd_names']);
    expect(`${types}\n`).toBe(stdout);
    expect((await home.run(['index', 'types', 'none'])).code).toBe(3);
  });
});
