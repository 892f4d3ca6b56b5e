import { readFileSync, writeFileSync } from 'node:fs';
import type { SearchResponse } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';
import { type BackendName, describeOnBackends } from './on-backend.ts';

/** A table whose rows no column tells apart, from the import to the erasure of a row. */
const home = new Home();
const LAKE = ['--warehouse', home.path('lake')];
const ROWS = 60;

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const strike = i % 10 === 0 ? `gull ${i}` : 'a bird';
    return `${['Orly', 'Zaventem', 'Kastrup'][i % 3]},${strike},${i % 7}`;
  });
  writeFileSync(home.path('birds.csv'), `airport,strike,cost\n${rows.join('\n')}\n`);
  await home.run(['source', 'import', 'birds.csv', '--table', 'm.birds', ...LAKE]);
});
afterAll(() => home.dispose());

describe('a table without a key', () => {
  it('init proposes key: row, and the definition is built', async () => {
    const proposed = await home.run(['index', 'init', 'm.birds', ...LAKE]);
    expect(proposed.stdout).toMatch(
      /^key: row {5}# no columns that look like a key differ in all 60 rows$/m,
    );
    writeFileSync(home.path('birds.yaml'), proposed.stdout);
    expect(await home.run(['index', 'validate', 'birds.yaml'])).toMatchObject({ code: 0 });
    const built = await home.run(['index', 'apply', 'birds.yaml']);
    expect(built.stdout).toMatch(/\nbirds {2}created and built: 60 rows in /);
  });
});

const FIRST: readonly BackendName[] = [
  'the embedded engine',
  'a service over REST',
  'a service over gRPC',
];

describeOnBackends('an index with key: row', home, ({ backend }) => {
  const gull = `gull ${10 * FIRST.indexOf(backend)}`;

  it('finds, reads, explains and erases a row by the key that a hit prints', async () => {
    const query = `strike:"${gull}"`;
    const found = await home.run(['search', 'birds', query]);
    const [key] = /_row=[0-9a-f]{16}:\d+/.exec(found.stdout)!;
    const row = await home.run(['keys', 'get', 'birds', key]);
    expect(row.stdout).toMatch(new RegExp(`^${key}\n[^]*strike +${gull}\n`));
    expect(row.stdout).not.toMatch(/^ +_row/m);
    const hydrated = await home.json<SearchResponse>(['search', 'birds', query, '--hydrate']);
    expect(hydrated.hits[0].row).toMatchObject({ strike: gull });
    const why = await home.run(['index', 'explain', 'birds', query, '--key', key]);
    expect(why).toMatchObject({ code: 0 });
    expect(await home.run(['explain', 'birds', query, key])).toEqual(why);
    const { stderr } = await home.run(['explain', 'birds', query, key, '--debug']);
    expect(stderr).toMatch(/^scored by: (kernel|bitmaps)$/m);
    const keyless = await home.run(['explain', 'birds', query]);
    expect(keyless.stderr).toContain('write it as --key _row=…, or at the end of the query');
    const exported = await home.run(['index', 'export', 'birds', '--format', 'ndjson']);
    expect(exported.stdout).toContain(key.slice('_row='.length));

    const erase = ['erase', 'check', 'birds', '--key', key];
    expect((await home.run(erase)).stdout).toContain(`${key} is still in the table`);
    const where = ['--where', `strike = '${gull}'`, '--yes'];
    await home.run(['source', 'delete', 'm.birds', ...LAKE, ...where]);
    const synced = await home.run(['index', 'sync', 'birds']);
    expect(synced).toMatchObject({ code: 0 });
    expect((await home.run(['index', 'verify', 'birds'])).code).toBe(0);
    expect((await home.run(['search', 'birds', query])).stdout).toMatch(/^0 hits/);
    expect((await home.run(['keys', 'get', 'birds', key])).code).toBe(3);
    const receipt = home.path(`${gull}.json`);
    const erased = await home.run([
      ...['erase', 'run', 'birds', '--key', key, '--yes', '--receipt', receipt],
    ]);
    expect(erased.code).toBe(0);
    expect(readFileSync(receipt, 'utf8')).not.toContain(gull);
    expect((await home.run(erase)).code).toBe(0);
  });
});
