// @module-tag campaign
// @module-tag slow
/**
 * Runs every fenced block of README.md, docs and the packages' pages in a folder like a fresh clone
 * after `npm ci`, page by page from the top: a reader who has run the demo can paste each of them.
 * CONTRIBUTING.md describes the notation. LHS_UPDATE_PAGES=1 writes the answers into the pages.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalBackend, openLocal } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../support/effort.ts';
import { canMakeNetworks, PrivateNetwork } from '../support/private-network.ts';
import { Clone, HOST } from './pages/clone.ts';
import { blocksOf, isBackground, neededBy, testOf } from './pages/page-blocks.ts';
import { RUNS } from './pages/run-block.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const UPDATE = process.env.LHS_UPDATE_PAGES === '1';

/** README.md runs the demo and makes an index, query.md makes another. */
const FIRST = ['README.md', 'docs/query.md'];
/** It deletes rows of the demo's table. */
const LAST = 'docs/paging.md';
/** Each of their commands has a process of its own, as that of a user has. */
const ALONE = ['README.md', 'docs/command-line.md'];
/** Programs that `npm ci` does not install; CI does. */
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;
const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`);
const others = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
  .filter((path) => ![...FIRST, LAST].includes(path))
  .sort();
const PAGES = [...FIRST, ...packages, ...others, LAST].map((path) => ({
  path,
  blocks: blocksOf(ROOT, path),
}));

/** Times, sizes, rates, ids of snapshots and backups, and folders differ from run to run. */
const masked = (text: string): string =>
  text
    .replace(/\d{8}T\d{9}Z-[0-9a-f]{8}/g, '…')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '…')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '…')
    .replace(/\S+\/backups\b/g, './backups')
    .replace(/\d{4}…\d{4}/g, '…')
    .replace(/\d[\d.,]*k? rows\/s/g, '# rows/s')
    .replace(/\d[\d.,]* (µs|ms|s|min)\b/g, '# s')
    .replace(/\d[\d.,]* (B|kB|MB)\b/g, '# B');

let clone: Clone;
let opened: LocalBackend | undefined;
/** The indexes of the clone, opened when a block first needs them. */
const reader = {
  get clone() {
    return clone;
  },
  get backend() {
    if (opened === undefined) throw new Error('no page has made an index yet');
    return opened;
  },
};

beforeAll(async () => {
  clone = await Clone.of(ROOT);
});
afterAll(async () => {
  await opened?.close();
  clone?.dispose();
});

/** Of a brief run: the pages that make the indexes of the others. */
const RUN = PAGES.slice(0, byEffort(FIRST.length, PAGES.length));

describe.each(RUN.filter(({ blocks }) => blocks.length > 0))('$path', ({ path, blocks }) => {
  const run = blocks.filter((block) => block.language !== 'text' && testOf(block) === undefined);
  let network: PrivateNetwork | undefined;

  beforeAll(async () => {
    clone.commands.alone = ALONE.includes(path);
    if (!blocks.some(isBackground)) return;
    if (canMakeNetworks()) network = await PrivateNetwork.open([HOST]);
    clone.enter(network);
  });

  afterAll(async () => {
    await clone.leave();
    await network?.close();
  });

  const cases = run.map((block) => ({
    name: `line ${block.line}: ${block.text.split('\n')[0]}`,
    block,
  }));
  it.for(cases)('$name', async ({ block }, { skip }) => {
    const program = neededBy(block);
    if (program !== undefined && !isInstalled(program)) return skip(`without ${program}`);
    opened ??= await openLocal(join(clone.home, '.local/share/lhs'), { create: true, threads: 0 });
    const now = await RUNS[block.language](block, reader);
    if (masked(now) === masked(block.text)) return;
    if (!UPDATE) expect(masked(block.text)).toBe(masked(now));
    const page = readFileSync(join(ROOT, path), 'utf8');
    writeFileSync(
      join(ROOT, path),
      page.replace(block.text, () => now),
    );
  });

  it('leaves nothing in the clone that git does not ignore', async () => {
    expect(await clone.run('git status --porcelain')).toBe('');
  });
});

describe('the blocks of the pages', () => {
  const all = PAGES.flatMap(({ path, blocks }) => blocks.map((block) => ({ path, ...block })));

  it('are in a language that is run, or text', () => {
    const unknown = all.filter(
      (block) =>
        block.language !== 'text' && testOf(block) === undefined && !(block.language in RUNS),
    );
    expect(unknown.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  });

  it('name the test that runs them, if this one does not', () => {
    const others = all.flatMap((block) => {
      const test = testOf(block);
      return test === undefined ? [] : [{ path: block.path, test }];
    });
    for (const { path, test } of others) {
      expect(readFileSync(join(ROOT, test), 'utf8'), `${test} of ${path}`).toContain(path);
    }
    expect([...new Set(others.map(({ path, test }) => `${path}: ${test}`))]).toEqual([
      'README.md: test/whole/pack.test.ts',
      'packages/mcp/README.md: test/whole/examples.test.ts',
      'docs/cluster.md: test/whole/deploy-start.test.ts',
      'docs/deploy.md: test/whole/deploy-search.test.ts',
      'docs/search-adapter.md: packages/server/test/search-adapter/clients.test.ts',
      'docs/tui.md: packages/cli/test/tui.test.ts',
    ]);
  });

  it('write npx before lhs on the first page', () => {
    const typed = PAGES.slice(0, 1)
      .flatMap(({ blocks }) => blocks)
      .flatMap(({ language, text }) =>
        text.split('\n').filter((line) => language === 'sh' || line.startsWith('$ ')),
      );
    expect(typed.length).toBeGreaterThan(5);
    for (const line of typed) expect(line).not.toMatch(/(?<!npx )\blhs [a-z]/);
  });
});
