import { existsSync } from 'node:fs';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { Home } from './child.ts';
import { describeOnBackends, SELECTED } from './on-backend.ts';

/**
 * `lhs source compact`, `expire` and `tag` over a table that an index follows. They work on this
 * machine alone; the index, which `expire` warns of, is one of the embedded engine or of a service.
 */
const home = new Home();
afterAll(() => home.dispose());
const at = ['--warehouse', home.path('lake')];
const SCHEMA = schemaOf({ id: 'long', team: 'string' });

interface Refs {
  readonly refs: readonly { readonly name: string; readonly kind: string }[];
  readonly snapshots: readonly unknown[];
}

/** A table of three files for each backend, with an index. */
beforeAll(async () => {
  const catalog = { type: 'filesystem', warehouse: home.path('lake') } as const;
  const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
  for (const n of SELECTED.keys()) {
    const [index, table] = [`t${n}`, `ops.t${n}`];
    await createTable(catalog, table, { schema: SCHEMA });
    for (const from of [0, 10, 20]) {
      const rows = Array.from({ length: 10 }, (_, i) => ({ id: from + i, team: 'a' }));
      await appendRows({ catalog, table }, { kind: 'rows', rows });
    }
    const source = JSON.stringify({ catalog, table });
    const fields = '[{ name: team, type: KEYWORD }]';
    const definition = `version: 1\nindex: ${index}\nsource: ${source}\nfields: ${fields}\n`;
    await backend.createIndex({ definition });
    await backend.reindex({ index });
  }
  await backend.close();
});

describeOnBackends('lhs source', home, ({ backend }) => {
  const index = `t${SELECTED.indexOf(backend)}`;
  const table = `ops.${index}`;
  const snapshots = () => home.json<Refs>(['source', 'snapshots', table, ...at]);

  it('plans and runs a compaction, which changes no document', async () => {
    const plan = await home.run(['source', 'compact', table, ...at, '--dry-run']);
    expect(plan.stdout).toMatch(
      /^ops\.t\d: would rewrite 3 data files of .* \(3 files → about 1\)\n$/,
    );
    const asked = await home.run(['source', 'compact', table, ...at]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('there is no terminal to ask: ');
    const done = await home.run(['source', 'compact', table, ...at, '--yes']);
    expect(done.stdout).toMatch(/^ops\.t\d +3 files → 1 · 30 rows rewritten · snapshot \d+…\d+\n/);
    const again = await home.run(['source', 'compact', table, ...at, '--yes']);
    expect(again.stdout).toBe(`${table} has no files to compact\n`);
    const wide = await home.run(['source', 'compact', table, ...at, '--target', '5MB']);
    expect(wide.code).toBe(2);
  });

  it('names snapshots, and expires the others with a warning for an index', async () => {
    const { snapshots: all } = await snapshots();
    const first = (all[0] as { readonly snapshot: string }).snapshot;
    const tag = ['source', 'tag', table, 'first', ...at];
    const tagged = await home.json([...tag, '--snapshot', first, '--max-age', '52w']);
    expect(tagged).toEqual({ name: 'first', kind: 'tag', snapshot: first });
    expect((await home.run(tag)).code).toBe(2);
    expect((await home.run(['source', 'expire', table, ...at])).stderr).toContain('--older-than');
    const young = await home.run(['source', 'expire', table, ...at, '--older-than', '1h', '-y']);
    expect(young.stdout).toBe(`${table} has nothing to expire; it keeps 4 snapshots\n`);
    const plan = await home.run(['source', 'expire', table, ...at, '--keep', '1', '--dry-run']);
    expect(plan.stdout).toMatch(/^ops\.t\d: would expire 2 snapshots, \d+ files of .*; 2 stay\n$/);
    expect(plan.stderr).toMatch(/warning: index t\d is at snapshot .*lhs index sync t\d first/);
    const synced = await home.json(['index', 'sync', index]);
    expect(synced).toMatchObject({ inserted: 0, deleted: 0 });
    const done = await home.run(['source', 'expire', table, ...at, '--keep', '1', '--yes']);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const after = await snapshots();
    expect(after.snapshots).toHaveLength(2);
    expect(after.refs.map(({ name }) => name)).toEqual(['main', 'first']);
    expect((await home.run([...tag, '--drop'])).stdout).toBe('first removed\n');
    expect(await home.json(['index', 'verify', index])).toMatchObject({ equal: true });
  });

  it('drops the table when no index reads it', async () => {
    const drop = ['source', 'drop', table, ...at];
    const read = await home.run([...drop, '--yes']);
    expect(read).toMatchObject({ code: 5, stdout: '' });
    expect(read.stderr).toContain(`index "${index}" reads the table ${table}`);
    await home.json(['index', 'drop', index, '--yes']);
    expect((await home.run(drop)).code).toBe(2);
    const done = await home.json([...drop, '--yes']);
    expect(done).toEqual({
      dropped: table,
      location: home.path(`lake/ops/${index}`),
      deleted: true,
    });
    expect(existsSync(home.path(`lake/ops/${index}`))).toBe(false);
    expect(await home.run([...drop, '--yes'])).toMatchObject({ code: 3 });
  });
});
