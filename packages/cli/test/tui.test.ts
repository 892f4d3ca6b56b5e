// @module-tag slow
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { incidents } from '../src/demo/incidents.ts';
import { Home, LHS } from './child.ts';
import { hasTmux, Pane } from './tmux.ts';

/**
 * The screen as a person has it, in a terminal that tmux emulates. Without tmux nothing of it runs.
 */
const home = new Home();
afterAll(() => home.dispose());

const ROWS = 200;
const DEFINITION = `version: 1
index: incidents
source:
  catalog: { type: filesystem, warehouse: ./lake }
  table: ops.incidents
key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, analyzer: english, cached: true }
  - { name: narrative, type: TEXT, analyzer: english, cached: true }
  - { name: service, type: KEYWORD, fast: true, cached: true }
  - { name: severity, type: LONG, cached: true }
  - { name: resolved, type: BOOL }
  - { name: about, type: VECTOR, source: [title, narrative] }
`;

/** Rows that would draw, move, ring and rename where they reached a terminal as they are. */
const WILD = [
  ['1', 'plain title about storms'],
  ['2', '宽字符标题 storms ｆｕｌｌｗｉｄｔｈ 한국어 텍스트 在这里有很多很多很多字'],
  ['3', 'emoji 👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️ storms'],
  ['4', 'שלום עולם storms مرحبا بالعالم, e\u0301 Z\u0351\u036b a\u0308\u0323'],
  ['5', 'escape \u001b[31mred\u001b[2J\u001b]0;owned\u0007 \u009b31m storms \u202eevil\u2028'],
  ['\u001b[31m6', 'a key with an escape\ttab storms'],
];

const WILD_DEFINITION = `version: 1
index: wild
source:
  catalog: { type: filesystem, warehouse: ./lake }
  table: ops.wild
key: { identifier: [key] }
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
`;

/** A table of the rows, and its index. */
async function build(name: string, key: string, rows: readonly string[], definition: string) {
  writeFileSync(home.path(`${name}.ndjson`), `${rows.join('\n')}\n`);
  const table = ['--table', `ops.${name}`, '--warehouse', home.path('lake'), '--key', key];
  const made = await home.run(['source', 'import', home.path(`${name}.ndjson`), ...table]);
  if (made.code !== 0) throw new Error(made.stderr);
  writeFileSync(home.path(`${name}.yaml`), definition);
  await home.json(['index', 'create', '-f', home.path(`${name}.yaml`)]);
  await home.json(['index', 'reindex', name]);
}

beforeAll(async () => {
  if (!hasTmux) return;
  const rows = incidents(0, ROWS).map(({ id, title, narrative, service, severity, resolved }) =>
    JSON.stringify({ id: Number(id), title, narrative, service, severity, resolved }),
  );
  await build('incidents', 'id', rows, DEFINITION);
  const wild = WILD.map(([key, title]) => JSON.stringify({ key, title }));
  await build('wild', 'key', wild, WILD_DEFINITION);
});

interface Start {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly index?: string;
  /** What the screen shows when it is there. */
  readonly ready?: RegExp;
}

/** `lhs tui` with its output in a file; before and after it the terminal's settings are kept. */
async function open(start: Start = {}): Promise<Pane> {
  const { columns = 80, rows = 24, env = {}, node = '', index = 'incidents' } = start;
  const term = env.TERM === undefined ? '' : `TERM=${env.TERM}`;
  const lhs = `${term} '${process.execPath}' ${node} '${LHS}' tui ${index}`;
  const script = [
    'stty -a > before',
    `${lhs} > out 2> err`,
    'code=$?',
    'stty -a > after',
    'echo left with $code',
    'read line',
  ].join('; ');
  const pane = new Pane(columns, rows, `cd '${home.folder}'; ${script}`, {
    LHS_DATA_DIR: home.path('data'),
    XDG_CONFIG_HOME: home.path('config'),
    XDG_CACHE_HOME: home.path('cache'),
    ...env,
  });
  onTestFinished(() => pane.dispose());
  await pane.until(start.ready ?? / 200 hits /);
  return pane;
}

const read = (name: string) => readFileSync(home.path(name), 'utf8');

/** The terminal is as it was: its first page, its settings, its cursor. */
async function restored(pane: Pane, code: number): Promise<void> {
  await pane.until(new RegExp(`^left with ${code}$`, 'm'));
  expect(read('after')).toBe(read('before'));
  expect(pane.isAlternate()).toBe(false);
  expect(pane.hasCursor()).toBe(true);
  expect(pane.reportsMouse()).toBe(false);
}

/** The screen without how long it took. */
const still = (screen: string) =>
  screen.replace(/ +\d[\d.]* m?s(?= |$)/gm, '  … ms').replace(/ +(\d+ hits)/, '  $1');

/** The screen is the golden one, once row and facets of the last key are there. */
async function drawnAs(pane: Pane, name: string): Promise<void> {
  const file = fileURLToPath(new URL(`golden/${name}`, import.meta.url));
  const wanted = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const end = performance.now() + SETTLES_MS;
  while (wanted !== undefined && still(pane.screen()) !== wanted && performance.now() < end) {
    await delay(50);
  }
  await expect(still(pane.screen())).toMatchFileSnapshot(file);
}
const SETTLES_MS = 60_000;

describe.skipIf(!hasTmux)('lhs tui', () => {
  it('runs the commands of docs/tui.md in a terminal, over another index', async () => {
    const page = readFileSync(new URL('../../../docs/tui.md', import.meta.url), 'utf8');
    const [, block] = /^```sh[^\n]*\n(.*?)^```$/ms.exec(page)!;
    for (const line of block.trim().split('\n')) {
      const command = line
        .replaceAll('demo-incidents', 'incidents')
        .replaceAll('lhs', `'${process.execPath}' '${LHS}'`);
      const script = `cd '${home.folder}'\n${command}\necho left with $?; read line`;
      const pane = new Pane(80, 24, script, {
        LHS_DATA_DIR: home.path('data'),
        XDG_CONFIG_HOME: home.path('config'),
        XDG_CACHE_HOME: home.path('cache'),
      });
      onTestFinished(() => pane.dispose());
      await pane.until(/ 200 hits /);
      pane.press('Enter');
      expect(await pane.until(/^left with 0$/m)).toContain(
        line.includes('keys get') ? 'title' : 'id=',
      );
    }
  });

  it('answers as one types, completes, pages, shows the row, and prints the key', async () => {
    const pane = await open();
    pane.type('serv');
    await pane.until(/^ service: /m);
    pane.press('Tab');
    pane.type('bil');
    await pane.until(/^ service +billing \d/m);
    const { total } = await home.json<{ total: number }>([
      'search',
      'incidents',
      'service:billing',
    ]);
    pane.press('Tab');
    await pane.until(new RegExp(`service:billing .* ${total} hits`));
    pane.press('Down', 'Down');
    const third = await pane.until(/^▸.*\n/m);
    pane.press('Home', 'C-d', 'C-u', 'End', 'C-u');
    await pane.until(/ 200 hits /);
    pane.press('PageDown');
    await pane.until(/^▸ +id=\d+/m);
    pane.press('PageDown', 'PageDown', 'PageDown', 'PageDown', 'PageDown', 'PageDown', 'PageDown');
    expect(third).not.toBe(pane.screen());
    const deep = await pane.until(/^▸ +id=\d+/m);
    expect(deep).toMatch(/│ id +\d+/);
    pane.press('Enter');
    await restored(pane, 0);
    expect(read('out')).toMatch(/^id=\d+\n$/);
  });

  it('takes the key of the line as it stands, however fast Enter comes', async () => {
    const pane = await open();
    pane.type('service:billing AND severity:1\r');
    await restored(pane, 0);
    const request = ['search', 'incidents', 'service:billing AND severity:1', '--limit', '1'];
    const { hits } = await home.json<{
      hits: { coordinates: { identifier: { value: string }[] } }[];
    }>(request);
    expect(read('out')).toBe(`id=${hits[0].coordinates.identifier[0].value}\n`);
  });

  it('keeps the last hits under the hint of the parser', async () => {
    const pane = await open();
    pane.type('leak');
    await pane.until(/ leak +22 hits/);
    pane.type(' AND');
    const screen = await pane.until(/expected a clause, found the end/);
    expect(screen).toMatch(/^▸ .*[Ll]eak/m);
    pane.press('Escape');
    await restored(pane, 130);
    expect(read('out')).toBe('');
  });

  it('explains, helps, orders, narrows, saves and opens again', async () => {
    const older = { index: 'incidents', query: 'an older query' };
    appendFileSync(home.path('data', 'tui-history.ndjson'), `${JSON.stringify(older)}\n`);
    const pane = await open();
    pane.type('leak');
    await pane.until(/ leak +22 hits[\s\S]*^▸/m);
    pane.press('C-e');
    await pane.until(/ matched, rank 1 of \d+/);
    pane.press('Escape');
    await pane.until(/ leak +22 hits[\s\S]*^▸/m);
    pane.press('C-o');
    await pane.until(/^▸\* relevance$/m);
    pane.press('Down', 'Enter');
    await pane.until(/^▸ +shipping id=/m);
    pane.press('C-f');
    await pane.until(/^▸ {2}service:\w+ +\d+$/m);
    pane.press('Enter');
    await pane.until(/ leak .* hits[\s\S]*^─── service:\w+ · by service ↓ ─/m);
    pane.press('C-s');
    await pane.until(/^ Save the query$/m);
    pane.type('leaks');
    pane.press('Enter');
    await pane.until(/^ saved as leaks$/m);
    pane.press('C-u', 'C-u');
    await pane.until(/ 200 hits .*\n─{80}\n▸ id=/);
    pane.press('C-l');
    await pane.until(/^▸ {2}leaks +leak {2}service:\w+ · by service$/m);
    pane.press('Enter');
    await pane.until(/ leak +(?:1?\d|2[01]) hits[\s\S]*^─── service:\w+ · by service ↓ ─/m);
    pane.press('C-u', 'BSpace');
    await pane.until(/ 200 hits [\s\S]*^─── by service ↓ ─/m);
    pane.type('?');
    await pane.until(/^ Enter +print the key/m);
    pane.press('Escape');
    await pane.until(/^▸ /m);
    pane.press('C-y');
    const copied = await pane.until(/^ copied id=\d+$/m);
    await expect.poll(() => pane.buffer()).toBe(/^ copied (id=\d+)$/m.exec(copied)?.[1]);
    pane.press('C-r');
    await pane.until(/^▸ {2}an older query$/m);
    pane.press('Enter');
    await pane.until(/ an older query +(?!200 )\d+ hits[\s\S]*by service ↓/);
    pane.press('C-u');
    await pane.until(/ 200 hits /);
    pane.press('C-t', 'C-t');
    await pane.until(/^ 2 marked /m);
    pane.press('Enter');
    await restored(pane, 0);
    expect(read('out')).toMatch(/^id=\d+\nid=\d+\n$/);
    const { saved_queries: kept } = await home.json<{ saved_queries: readonly object[] }>([
      ...['query', 'list'],
    ]);
    const request = {
      index: 'incidents',
      query: 'leak',
      filter: expect.stringMatching(/^service:\w+$/),
      sort: [{ field: 'service', desc: true }],
    };
    expect(kept).toMatchObject([{ name: 'leaks', request }]);
    expect(JSON.stringify(kept)).not.toContain('limit');
  });
});

describe.skipIf(!hasTmux)('a warning of the process', () => {
  it('stands at the foot, not across the screen', async () => {
    const warn = 'process.on("SIGUSR2",()=>process.emitWarning("a-merge-failed"))';
    const pane = await open({ node: `--import 'data:text/javascript,${warn}'` });
    pane.signal('SIGUSR2');
    const screen = await pane.until(/^ a-merge-failed$/m);
    expect(screen).not.toMatch(/\(node:\d+\)/);
    pane.press('Escape');
    await restored(pane, 130);
    expect(read('err')).not.toContain('a-merge-failed');
  });
});

describe.skipIf(!hasTmux)('the first screen of lhs tui', () => {
  it('asks which index where there are several, and goes to another one', async () => {
    const pane = await open({ index: '', ready: /^ lhs +which index\?$/m });
    await pane.until(/^▸ {2}incidents +200 rows/m);
    pane.type('wil');
    await pane.until(/^▸ {2}wild +\d rows/m);
    expect(pane.screen()).not.toMatch(/^ +incidents/m);
    pane.press('Enter');
    await pane.until(/^ wild [\s\S]*^▸/m);
    pane.press('C-x');
    await pane.until(/^ wild has no VECTOR field/m);
    pane.press('C-g');
    await pane.until(/^▸\* wild/m);
    pane.press('Up', 'Enter');
    await pane.until(/^ incidents +lexical ▾ .* 200 hits /);
    pane.press('Escape');
    await restored(pane, 130);
  });

  it('refuses a mode that the index does not have, before anything is drawn', async () => {
    const { code, stderr } = await home.run(['tui', 'wild', '--mode', 'hybrid']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: "wild" cannot be searched in mode hybrid\n' +
        '  wild has no VECTOR field: only lexical search\n',
    );
  });

  it('refuses a terminal that cannot be drawn on, and says so', async () => {
    const pane = await open({ env: { TERM: 'dumb' }, ready: /^left with 2$/m });
    expect(read('err')).toMatch(/^error: lhs tui cannot draw on a terminal with TERM "dumb"\n/);
    expect(pane.isAlternate()).toBe(false);
  });

  it('draws on a terminal of which little is known', async () => {
    const pane = await open({ env: { TERM: 'vt100' } });
    pane.type('leak');
    await pane.until(/ leak +22 hits[\s\S]*^▸/m);
    pane.press('Enter');
    await restored(pane, 0);
  });

  it('says what it needs where it is too small, and draws when it is not', async () => {
    const pane = await open({ columns: 40, rows: 10, ready: /^ 40 × 10 is too small\n/ });
    expect(pane.screen()).toContain(' lhs tui needs 50 × 12\n');
    pane.resize(50, 12);
    await pane.until(/^ incidents .* 200 hits[\s\S]*^▸/m);
  });
});

describe.skipIf(!hasTmux)('the modes of lhs tui', () => {
  const text = 'nobody can log in (again)';

  it('asks by meaning as `lhs search --mode semantic` does, and explains it', async () => {
    const pane = await open();
    pane.type(text);
    await pane.until(/^ incidents +lexical ▾ /m);
    pane.press('C-x');
    await pane.until(/^ incidents +semantic ▾ .* 100 hits[\s\S]*^▸ 0\.\d{3} id=/m);
    pane.press('C-e');
    await pane.until(/^ 0\.\d+ +matched, rank 1 of 100/m);
    pane.press('Escape');
    await pane.until(/^▸ 0\.\d{3} id=/m);
    pane.press('Enter');
    await restored(pane, 0);
    const { hits } = await home.json<{
      hits: { coordinates: { identifier: { value: string }[] } }[];
    }>(['search', 'incidents', text, '--mode', 'semantic', '--limit', '1']);
    expect(read('out')).toBe(`id=${hits[0].coordinates.identifier[0].value}\n`);
  });

  it.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
  ])('is as drawn at $columns x $rows by both', async ({ columns, rows }) => {
    const pane = await open({
      columns,
      rows,
      index: 'incidents --mode semantic',
      env: { NO_COLOR: '1' },
    });
    pane.press('M-m');
    pane.type('certificate ran out');
    await pane.until(/^ incidents +hybrid ▾ +certificate ran out +\d+ hits.*\n─── rank by words/);
    if (columns >= 100) await pane.until(/│ resolved +true[\s\S]*^ severity +1 █/m);
    await drawnAs(pane, `tui-hybrid-${columns}x${rows}.txt`);
  });
});

describe.skipIf(!hasTmux)('what rows may hold', () => {
  it('reaches the terminal as text: no escape of it is obeyed, no column is lost', async () => {
    const pane = await open({ index: 'wild', ready: / 6 hits / });
    const screen = await pane.until(/^▸[\s\S]*�\[2J/m);
    for (const line of screen.split('\n').slice(2, 22)) expect(line).toMatch(/ │( |$)/);
    const styled = pane.styled();
    expect(styled).not.toContain('\u001b[31m');
    pane.type('escape');
    await pane.until(/ 2 hits /);
    pane.press('Enter');
    await restored(pane, 0);
    expect(pane.title()).not.toBe('owned');
  });
});

describe.skipIf(!hasTmux)('the screen of lhs tui', () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
  ])('is as drawn at $columns x $rows', async ({ columns, rows }) => {
    const pane = await open({ columns, rows, env: { NO_COLOR: '1' } });
    pane.type('leak AND severity:2');
    await pane.until(/severity:2 +\d hits(.*\n)+.*│ resolved +true/);
    if (columns >= 100) await pane.until(/^ severity +2 6 +│/m);
    await drawnAs(pane, `tui-${columns}x${rows}.txt`);
  });

  it('follows the size of the terminal and folds panes away', async () => {
    const pane = await open({ columns: 120, rows: 40 });
    await pane.until(/^ service +\w+ \d+ ·/m);
    pane.resize(60, 20);
    await pane.until(/^ incidents [^│]*\n─{60}\n▸[^│]*\n─{60}\n ↑↓/);
    expect(pane.screen()).not.toMatch(/^ service/m);
    pane.resize(80, 24);
    expect(await pane.until(/^▸.* │ id[\s\S]*\n─{80}\n ↑↓/m)).not.toMatch(/^ service/m);
  });
});

describe.skipIf(!hasTmux)('the mouse in lhs tui', () => {
  it('moves the cursor by click and wheel, chooses in lists, and is given back', async () => {
    const pane = await open();
    expect(pane.reportsMouse()).toBe(true);
    const press = (button: number, row: number) =>
      pane.type(`\u001b[<${button};9;${row}M\u001b[<${button};9;${row}m`);
    const row = (line: number) => pane.screen().split('\n')[line - 1];
    await pane.until(/^▸/m);
    press(0, 7);
    await expect.poll(() => row(7)).toMatch(/^▸/);
    press(65, 7);
    await expect.poll(() => row(10)).toMatch(/^▸/);
    press(64, 7);
    await expect.poll(() => row(7)).toMatch(/^▸/);
    const [, key] = /^▸ +(id=\d+)/.exec(row(7)) ?? [];
    pane.press('C-o');
    await pane.until(/^▸\* relevance$/m);
    press(0, 5);
    await pane.until(/^─── by service ↓ ─/m);
    press(0, 3);
    await expect.poll(() => row(3)).toMatch(/^▸/);
    pane.press('Enter');
    await restored(pane, 0);
    expect(read('out')).toMatch(/^id=\d+\n$/);
    expect(key).toBeDefined();
  });
});

describe.skipIf(!hasTmux)('the list of lhs tui', () => {
  it('is filled again when the terminal grows', async () => {
    const pane = await open({ rows: 14 });
    await pane.until(/^▸/m);
    pane.resize(80, 50);
    await pane.until(/(?:\n[▸ ] id=\d+ .*){46}/);
  });
});

describe.skipIf(!hasTmux)('the terminal after lhs tui', () => {
  it.each([
    ['Ctrl-C', (pane: Pane) => pane.press('C-c'), 130],
    ['SIGTERM', (pane: Pane) => pane.signal('SIGTERM'), 143],
    ['an error that nobody expected', (pane: Pane) => pane.signal('SIGUSR2'), 1],
  ])('is whole after %s', async (_name, end, code) => {
    const boom = 'process.on("SIGUSR2",()=>{throw new Error("boom")})';
    const pane = await open({ node: `--import 'data:text/javascript,${boom}'` });
    end(pane);
    await restored(pane, code);
    if (code === 1) expect(read('err')).toMatch(/boom/);
  });

  it('is whole while it is stopped and when it goes on', async () => {
    const lhs = `'${process.execPath}' '${LHS}' tui incidents`;
    const shell = new Pane(80, 24, "env PS1='> ' bash --norc", { LHS_DATA_DIR: home.path('data') });
    onTestFinished(() => shell.dispose());
    await shell.until(/^>$/m);
    shell.type(`clear; ${lhs} > '${home.path('out')}'\r`);
    await shell.until(/ 200 hits /);
    shell.press('C-z');
    await shell.until(/Stopped/);
    expect(shell.isAlternate()).toBe(false);
    expect(shell.hasCursor()).toBe(true);
    shell.type('fg\r');
    await shell.until(/ 200 hits /);
    shell.press('Enter');
    await shell.until(/^>$/m);
    expect(read('out')).toMatch(/^id=\d+\n$/);
  });
});
