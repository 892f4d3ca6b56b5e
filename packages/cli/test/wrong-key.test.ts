import { renameSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

const home = new Home();
afterAll(() => home.dispose());
const run = (...line: readonly string[]) => home.run(line, { cwd: home.folder });

describe('a definition whose key does not tell rows apart', () => {
  it('is reported with its file when the index is created and when it is built', async () => {
    writeFileSync(home.path('rows.csv'), 'id,name\n1,a\n2,a\n3,b\n');
    await run('import', 'rows.csv', '--table', 'm.rows', '--key', 'id', '--warehouse', 'lake');
    const { stdout: sound } = await run('index', 'init', 'm.rows', '--warehouse', 'lake');
    writeFileSync(home.path('rows.yaml'), sound.replace('identifier: [id]', 'identifier: [name]'));
    const created = await run('index', 'create', 'rows.yaml');
    expect(created.stderr).toMatch(/^rows\.yaml:\d+:\d+ {2}warning .* 1 of 3 rows have the key/m);
    expect(created.stdout).toMatch(/^next: lhs index apply rows\.yaml, once it is valid$/m);
    const built = await run('reindex', 'rows');
    expect(built.stderr).toMatch(/\n {2}lhs index validate rows\.yaml\n {2}lhs index apply rows\./);
    renameSync(home.path('rows.yaml'), home.path('x.yaml'));
    writeFileSync(home.path('a.yaml'), 'index: other\n');
    const again = await run('reindex', 'rows');
    expect(again.stderr).toMatch(/\n {2}lhs index validate x\.yaml\n {2}lhs index apply x\.yaml/);
    writeFileSync(home.path('rows.yaml'), sound);
    expect(await run('index', 'apply', 'rows.yaml', '--yes')).toMatchObject({ code: 0 });
  });
});
