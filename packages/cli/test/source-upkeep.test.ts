import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/** `lhs source compact`, `expire` and `tag` over a table that an index follows. */
const home = new Home();
afterAll(() => home.dispose());
const at = ['--warehouse', home.path('lake')];

interface Refs {
  readonly refs: readonly { readonly name: string; readonly kind: string }[];
  readonly snapshots: readonly unknown[];
}
const snapshots = () => home.json<Refs>(['source', 'snapshots', 'ops.t', ...at]);

beforeAll(async () => {
  for (const from of [0, 10, 20]) {
    const rows = Array.from({ length: 10 }, (_, i) => JSON.stringify({ id: from + i, team: 'a' }));
    writeFileSync(home.path('rows.ndjson'), `${rows.join('\n')}\n`);
    const how = from === 0 ? ['--key', 'id'] : ['--append'];
    const file = home.path('rows.ndjson');
    await home.json(['source', 'import', file, '--table', 'ops.t', ...how, ...at]);
  }
  const { stdout } = await home.run(['index', 'init', 'ops.t', ...at, '--name', 't']);
  writeFileSync(home.path('t.yaml'), stdout);
  await home.json(['index', 'create', '-f', home.path('t.yaml')]);
  await home.json(['index', 'reindex', 't']);
});

describe('lhs source', () => {
  it('plans and runs a compaction, which changes no document', async () => {
    const plan = await home.run(['source', 'compact', 'ops.t', ...at, '--dry-run']);
    expect(plan.stdout).toMatch(
      /^ops\.t: would rewrite 3 data files of .* \(3 files → about 1\)\n$/,
    );
    const asked = await home.run(['source', 'compact', 'ops.t', ...at]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('There is no terminal to ask');
    const done = await home.run(['source', 'compact', 'ops.t', ...at, '--yes']);
    expect(done.stdout).toMatch(/^ops\.t +3 files → 1 · 30 rows rewritten · snapshot \d+…\d+\n/);
    const again = await home.run(['source', 'compact', 'ops.t', ...at, '--yes']);
    expect(again.stdout).toBe('ops.t has no files to compact\n');
    const wide = await home.run(['source', 'compact', 'ops.t', ...at, '--target', '5MB']);
    expect(wide.code).toBe(2);
  });

  it('names snapshots, and expires the others with a warning for an index', async () => {
    const { snapshots: all } = await snapshots();
    const first = (all[0] as { readonly snapshot: string }).snapshot;
    const tag = ['source', 'tag', 'ops.t', 'first', ...at];
    const tagged = await home.json([...tag, '--snapshot', first, '--max-age', '52w']);
    expect(tagged).toEqual({ name: 'first', kind: 'tag', snapshot: first });
    expect((await home.run(tag)).code).toBe(2);
    expect((await home.run(['source', 'expire', 'ops.t', ...at])).stderr).toContain('--older-than');
    const young = await home.run(['source', 'expire', 'ops.t', ...at, '--older-than', '1h', '-y']);
    expect(young.stdout).toBe('ops.t has nothing to expire; it keeps 4 snapshots\n');
    const plan = await home.run(['source', 'expire', 'ops.t', ...at, '--keep', '1', '--dry-run']);
    expect(plan.stdout).toMatch(/^ops\.t: would expire 2 snapshots, \d+ files of .*; 2 stay\n$/);
    expect(plan.stderr).toMatch(/warning: index t is at snapshot .*lhs index sync t first/);
    const synced = await home.json(['index', 'sync', 't']);
    expect(synced).toMatchObject({ inserted: 0, deleted: 0 });
    const done = await home.run(['source', 'expire', 'ops.t', ...at, '--keep', '1', '--yes']);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const after = await snapshots();
    expect(after.snapshots).toHaveLength(2);
    expect(after.refs.map(({ name }) => name)).toEqual(['main', 'first']);
    expect((await home.run([...tag, '--drop'])).stdout).toBe('first removed\n');
    expect(await home.json(['index', 'verify', 't'])).toMatchObject({ equal: true });
  });
});
