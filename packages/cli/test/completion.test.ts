// @module-tag campaign
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth } from '../../../test/support/effort.ts';
import { SCRIPTS } from '../src/completion/scripts.ts';
import { Home } from './child.ts';
import { hasTmux, Pane } from './tmux.ts';

/** Completion as shells do it: keys pressed in a terminal. */
const home = new Home();
const DEFINITION = `version: 1
index: items
source:
  catalog: { type: filesystem, warehouse: ./lake }
  table: shop.items
key: { identifier: [id] }
fields:
  - { name: name, type: TEXT }
  - { name: maker, type: KEYWORD, fast: true }
  - { name: price, type: DOUBLE, fast: true, cached: true }
`;

beforeAll(async () => {
  const rows = [
    '{"id":"k1","name":"tent","maker":"hilleberg","price":19.5}',
    '{"id":"k2","name":"lamp","maker":"petzl","price":250}',
    '{"id":"r 3","name":"rope","maker":"black diamond","price":90}',
    '{"id":"e`id`","name":"axe","maker":"evil$(id)","price":1}',
  ];
  writeFileSync(home.path('items.ndjson'), rows.join('\n'));
  const table = ['--table', 'shop.items', '--warehouse', home.path('lake')];
  await home.run(['source', 'import', 'items.ndjson', ...table, '--key', 'id']);
  writeFileSync(home.path('items.yaml'), DEFINITION);
  mkdirSync(home.path('depot'));
  writeFileSync(home.path('depots.txt'), '');
  await home.run(['index', 'create', 'items.yaml']);
  await home.run(['index', 'reindex', 'items']);
  const bin = new URL('../bin/lhs.js', import.meta.url).pathname;
  writeFileSync(home.path('lhs'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(home.path('lhs'), 0o755);
});
afterAll(() => home.dispose());

describe('completion', () => {
  it('is installed for every new shell, once', async () => {
    const user = home.path('user');
    mkdirSync(user);
    writeFileSync(join(user, '.bashrc'), 'export FIRST=1');
    const env = { HOME: user, SHELL: '/bin/bash', XDG_CONFIG_HOME: home.path('with blank') };
    for (const _ of [1, 2]) await home.run(['completion', 'install'], { env });
    const script = join(home.path('with blank'), 'lhs/completion.bash');
    const line = `[ -f '${script}' ] && . '${script}'`;
    expect(readFileSync(join(user, '.bashrc'), 'utf8')).toBe(`export FIRST=1\n${line}\n`);
    const shell = ['--rcfile', join(user, '.bashrc'), '-i', '-c', 'complete -p lhs; echo $FIRST'];
    const { stdout } = spawnSync('bash', shell, { env, encoding: 'utf8' });
    expect(stdout).toBe('complete -F _lhs lhs\n1\n');
    const fish = await home.json<{ files: string[] }>(['completion', 'install', 'fish'], { env });
    expect(fish.files).toEqual([join(home.path('with blank'), 'fish/completions/lhs.fish')]);
    const zsh = await home.json<{ files: string[] }>(['completion', 'install', 'zsh'], { env });
    expect(zsh.files.at(-1)).toBe(join(user, '.zshrc'));
  });
});

/** How each shell starts with the script in FILE and a prompt `> `, and nothing of the user. */
const SHELLS = {
  bash: 'bash --noprofile --rcfile FILE -i',
  zsh: 'ZDOTDIR=FOLDER zsh -i',
  fish: `fish --no-config -C 'source FILE; function fish_prompt; echo "> "; end'`,
} as const;

/** A line as it is typed, and as it is after Tab. */
const LINES = [
  ['lhs ind', 'lhs index'],
  ['lhs search it', 'lhs search items'],
  ['lhs items mak', 'lhs items maker:'],
  ['lhs search items maker:pe', 'lhs search items maker:petzl'],
  ["lhs search items 'tent AND mak", "lhs search items 'tent AND maker:"],
  ["lhs search items 'tent OR maker:hil", "lhs search items 'tent OR maker:hilleberg"],
  ['lhs search items --sort pr', 'lhs search items --sort price'],
  ['lhs search items --sort=pr', 'lhs search items --sort=price'],
  ['lhs search items --sort -pr', 'lhs search items --sort -price'],
  ['lhs search items --sort=price:d', 'lhs search items --sort=price:desc'],
  ['lhs search items --sort maker,-pr', 'lhs search items --sort maker,-price'],
  ['lhs search items --fields name,pr', 'lhs search items --fields name,price'],
  ['lhs search items --mode=hy', 'lhs search items --mode=hybrid'],
  ['lhs search items --filter mak', 'lhs search items --filter maker:'],
  ['lhs index apply item', 'lhs index apply items.'],
  ['lhs help semanti', 'lhs help semantic'],
  ['lhs search items MAK', 'lhs search items maker:'],
  ['lhs --data-dir dep', 'lhs --data-dir depot/'],
  ['lhs search items maker:bl', 'lhs search items maker:\\"black\\ diamond\\"'],
  ["lhs search items 'tent OR maker:bl", `lhs search items 'tent OR maker:"black diamond"`],
  ['lhs search items "maker:bl', 'lhs search items "maker:\\"black diamond\\"'],
  ['lhs keys get items id=r', 'lhs keys get items id=r\\ 3'],
  ['lhs search items "maker:ev', 'lhs search items "maker:\\"evil\\$(id)\\"'],
  ['lhs keys get items id=e', 'lhs keys get items id=e\\`id\\`'],
  ['lhs aggregate items --avg p', 'lhs aggregate items --avg price'],
  [
    'lhs source rows --warehouse lake --table sh',
    'lhs source rows --warehouse lake --table shop.items',
  ],
] as const;

/** fish writes a word again whose quotes do not fit its completion. */
const FISH: Readonly<Record<string, string>> = {
  "lhs search items 'tent OR maker:bl": 'lhs search items tent\\ OR\\ maker:\\"black\\ diamond\\"',
  'lhs search items "maker:bl': 'lhs search items maker:\\"black\\ diamond\\"',
  'lhs search items "maker:ev': 'lhs search items maker:\\"evil\\$\\(id\\)\\"',
  'lhs keys get items id=e': 'lhs keys get items id=e`id`',
};

const prompt = (line: string) =>
  new RegExp(`^> ${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'm');

const hasShell = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe.each(Object.keys(SHELLS) as (keyof typeof SHELLS)[])('completion of %s', (shell) => {
  const lines = everyNth(LINES, byEffort(4, 1), Object.keys(SHELLS).indexOf(shell));

  it.runIf(hasTmux && hasShell(shell))('completes what is typed', async () => {
    const folder = home.path(shell);
    mkdirSync(folder);
    const file = join(folder, '.zshrc');
    writeFileSync(file, `${SCRIPTS[shell]}${shell !== 'fish' ? "PS1='> '\n" : ''}`);
    const start = SHELLS[shell].replace('FILE', file).replace('FOLDER', folder);
    const pane = new Pane(100, 20, `cd '${home.folder}'; ${start}`, {
      PATH: `${home.folder}:${process.env.PATH}`,
      HOME: folder,
      LHS_DATA_DIR: home.path('data'),
    });
    try {
      await pane.until(/^>$/m);
      for (const [typed, completed] of lines) {
        pane.type(typed);
        await pane.until(prompt(typed));
        pane.press('Tab');
        await pane.until(prompt((shell === 'fish' ? FISH[typed] : undefined) ?? completed));
        pane.press('C-u', 'C-l');
        await pane.until(/^>\s*$/);
      }
    } finally {
      pane.dispose();
    }
  });
});
