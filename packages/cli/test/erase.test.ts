import { readFileSync, writeFileSync } from 'node:fs';
import type { ErasureReport } from '@lakehouse-search/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from './child.ts';
import { type BackendName, describeOnBackends } from './on-backend.ts';

const home = new Home();
const TABLE = ['--table', 'ops.people', '--warehouse', home.path('lake')];
/**
 * A background merge removes deleted documents once they are more than a fifth of a segment: the
 * rows that all backends delete together must stay below that.
 */
const ROWS = 60;
beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, id) => JSON.stringify({ id, title: `row n${id}` }));
  writeFileSync(home.path('rows.ndjson'), `${rows.join('\n')}\n`);
  await home.json(['source', 'import', home.path('rows.ndjson'), ...TABLE, '--key', 'id']);
  const definition = `version: 1
index: people
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.people }
fields:
  - { name: title, type: TEXT, cached: true }
`;
  writeFileSync(home.path('people.yaml'), definition);
  await home.json(['index', 'create', '-f', home.path('people.yaml')]);
  await home.json(['index', 'reindex', 'people']);
});
afterAll(() => home.dispose());

/** Each backend erases rows of its own: the table is the same. */
const BACKENDS_BY_ROWS: readonly BackendName[] = [
  'the embedded engine',
  'a service over REST',
  'a service over gRPC',
];

const check = (...flags: readonly string[]) => home.run(['erase', 'check', 'people', ...flags]);

describeOnBackends('lhs erase', home, ({ backend, isBrief }) => {
  const first = 7 + 2 * BACKENDS_BY_ROWS.indexOf(backend);
  const [one, other, stays] = [`id=${first}`, `id=${first + 1}`, 'id=3'];

  it.skipIf(isBrief)('refuses while the table has the row, and needs a key', async () => {
    const none = await check();
    expect(none).toMatchObject({ code: 2, stdout: '' });
    const found = await check('--key', one);
    expect(found.code).toBe(5);
    expect(found.stdout).toContain(`${one} is still in the table: delete it there first`);
    const refused = await home.run(['erase', 'run', 'people', '--key', one, '--yes']);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('lhs index sync people');
  });

  it('lists remains, removes them and writes a receipt that others can verify', async () => {
    const where = ['--where', `id IN (${first}, ${first + 1})`, '--yes'];
    await home.json(['source', 'delete', 'ops.people', ...TABLE.slice(2), ...where]);
    await home.json(['index', 'sync', 'people']);
    const found = await check('--key', one, '--key', other);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^people {2}data remains in 2 places \(2 keys checked\)$/m);
    expect(found.stdout).toMatch(
      /^deleted document +id=\d+ +next merge +.*title \(terms, stored\) · /m,
    );
    writeFileSync(home.path('keys.txt'), `${one}\n${first + 1}\n`);
    const receipt = home.path('receipt.json');
    const keys = ['--keys', home.path('keys.txt')];
    const run = await home.run(['erase', 'run', 'people', ...keys, '--yes', '--receipt', receipt]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^1 segment rewritten$/m);
    expect(run.stdout).toMatch(/^people {2}nothing remains of 2 keys$/m);
    const again = await home.json<ErasureReport>(['erase', 'check', 'people', ...keys]);
    expect(again.clean).toBe(true);
    expect(again.table_snapshots).toContainEqual(expect.objectContaining({ keys: [0, 1] }));
    const pem = home.path('key.pem');
    writeFileSync(pem, (await home.run(['erase', 'key'])).stdout);
    const elsewhere = { env: { LHS_DATA_DIR: home.path('nowhere') } };
    const verify = (file: string, ...flags: readonly string[]) =>
      home.run(['erase', 'verify', file, '--public-key', pem, ...flags], elsewhere);
    const good = await verify(receipt, '--key', one);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^valid: signed with key [0-9a-f]{16}$/m);
    expect(good.stdout).toMatch(/2 keys had no remains in index "people"$/m);
    expect(good.stdout).toMatch(/^covers id=\d+$/m);
    expect((await verify(receipt, '--key', stays)).stdout).toContain('does not cover id=3');
    expect((await verify(receipt, '--key', stays)).code).toBe(1);
    const text = readFileSync(receipt, 'utf8');
    writeFileSync(home.path('forged.json'), text.replace('"people"', '"others"'));
    const forged = await verify(home.path('forged.json'));
    expect(forged.code).toBe(1);
    expect(forged.stdout).toBe('not valid: the signature does not fit the statement\n');
    writeFileSync(home.path('cut.json'), text.slice(0, 100));
    expect((await verify(home.path('cut.json'))).code).toBe(2);
    const own = await home.run(['erase', 'verify', receipt]);
    expect(own.code).toBe(0);
  });
});
