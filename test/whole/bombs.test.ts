import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, Home, lines } from '../../packages/cli/test/child.ts';
import { CraftedTable } from '../../packages/lake/test/crafted-table.ts';

/**
 * Data files of a few kilobytes that hold gigabytes of text, through the command line: in bounded
 * memory.
 */
const home = new Home();
const lake = home.path('lake');
const ID = { id: 1, name: 'id', required: true, type: { kind: 'long' } } as const;
const TEXT = { id: 2, name: 't', required: true, type: { kind: 'string' } } as const;
const MIB = 2 ** 20;
const MOST_RSS = 900 * MIB;

/** Notes the memory of a process at its end. */
const METER = home.path('meter.mjs');
const RSS = home.path('rss');

async function measured(args: readonly string[]) {
  const done = await home.run(args, { env: { NODE_OPTIONS: `--import=${METER}` } });
  return { ...done, rss: Number(readFileSync(RSS, 'utf8')) * 1024 };
}

async function make(name: string, rows: number, text: string): Promise<void> {
  const table = new CraftedTable(lake, `b.${name}`);
  await table.create([ID, TEXT]);
  await table.addParquet([
    { field: ID, runs: [[0n, rows]] },
    { field: TEXT, runs: [[text, rows]] },
  ]);
  const definition = `version: 1
index: ${name}
source: { catalog: { type: filesystem, warehouse: ${lake} }, table: b.${name} }
key: { identifier: [id] }
fields: [{ name: t, type: TEXT }]
`;
  const created = await home.run(['index', 'create', '-f', '-'], { input: definition });
  expect([created.code, created.stderr]).toEqual([0, '']);
}

beforeAll(async () => {
  writeFileSync(
    METER,
    `import { writeFileSync } from 'node:fs';
     const rss = () => String(process.resourceUsage().maxRSS);
process.on('exit', () => writeFileSync(${JSON.stringify(RSS)}, rss()));`,
  );
  await make('large', 2000, 'lorem ipsum '.repeat(700_000).slice(0, 8 * MIB));
  await make('many', 20_000, 'dolor sit '.repeat(105_000).slice(0, MIB));
  await make('small', 120, 'amet consectetur '.repeat(65_000).slice(0, MIB));
});
afterAll(() => home.dispose());

describe('a few references to one large text', () => {
  it.each([
    ['large', 8 * MIB],
    ['many', MIB],
  ])('are printed one by one (%s)', async (name, size) => {
    const at = ['--warehouse', lake, '--limit', '1'];
    const { code, stdout, rss } = await measured(['source', 'rows', `b.${name}`, ...at]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).t).toHaveLength(size);
    expect(rss).toBeLessThan(MOST_RSS);
  });

  it('are indexed, verified, found, exported and looked up', async () => {
    const built = await measured(['index', 'reindex', 'small', '--json']);
    expect([built.code, built.rss < MOST_RSS]).toEqual([0, true]);
    expect(JSON.parse(lines(built.stdout).at(-1) as string).doc_count).toBe(120);
    const found = await measured([
      'search',
      'small',
      'amet',
      '--hydrate',
      '--limit',
      '20',
      '--json',
    ]);
    const { hits } = JSON.parse(found.stdout) as { hits: { row: { t: string } }[] };
    expect(hits.map(({ row }) => row.t.length)).toEqual(new Array(20).fill(MIB));
    expect(found.rss).toBeLessThan(MOST_RSS);
    for (const args of [
      ['index', 'verify', 'small'],
      ['index', 'sync', 'small'],
      ['index', 'export', 'small'],
      ['keys', 'get', 'small', 'id=7'],
    ]) {
      const { code, stderr, rss } = await measured(args);
      expect([args[1], code, stderr]).toEqual([args[1], 0, expect.anything()]);
      expect(rss).toBeLessThan(MOST_RSS);
    }
  });

  it('end a reindex of them at a signal', async () => {
    const child = home.start(['index', 'reindex', 'large', '--json']);
    const done = ended(child);
    child.stderr?.once('data', () => child.kill('SIGTERM'));
    const { code, stderr } = await done;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/stopping/)]);
    const { status } = await home.json<{ status: string }>(['index', 'describe', 'large']);
    expect(status).toBe('created');
  });
});
