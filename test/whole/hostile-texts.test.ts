// @module-tag campaign
// @module-tag slow
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, Home, lines, type RunOptions } from '../../packages/cli/test/child.ts';
import { appendRows, createTable, type Field, upsertRows } from '../../packages/lake/src/index.ts';
import { byEffort, everyNth, seedOfDay } from '../support/effort.ts';

/**
 * Tables, definitions, saved queries and servers whose texts attack terminals and CI logs: every
 * command that prints such texts, for people and as JSON.
 */
const home = new Home();
afterAll(() => {
  console.log(`hostile texts: ${home.runs} processes`);
  home.dispose();
});
const lake = home.path('lake');
const at = ['--warehouse', lake];
const TABLE = ['h.odd', ...at];

const ESC = '\u001b';
const SEQUENCES = `${ESC}[31m${ESC}]0;title\u0007\u009b2J\u007f\u202e`;
const ATTACK = `${SEQUENCES}\r\n::error file=x::pwned\n##[error]y`;
const NAMES = [
  `word ${ATTACK}`,
  '::set-output name=a::b',
  '##[add-mask]name',
  '\u0085next',
  '__proto__',
  'constructor',
  'toString',
];
const KEYS = [`k0${ESC}[31m`, '::error::k1', 'k2'];
const value = (name: string, id: string) => `common ${id} ${name} ${ATTACK}`;
const row = (id: string) => ({
  id,
  ...Object.fromEntries(NAMES.map((name) => [name, value(name, id)])),
});
const text = { kind: 'string' } as const;
const INNER: readonly Field[] = ['__proto__', `in ${ATTACK}`].map((name, i) => {
  return { id: 31 + i, name, required: false, type: text };
});

/** Everything but a line end that controls a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/** Fails where a printed text would control a terminal or a CI runner. */
function expectSafe(printed: string, what: string): void {
  expect(CONTROL.exec(printed)?.[0], `${what}\n${JSON.stringify(printed)}`).toBeUndefined();
  for (const line of printed.split('\n')) {
    expect(line, what).not.toMatch(/^\s*::|##\[|##vso\[/);
  }
}

/** Runs a command whose output has to be safe; `exits` are the codes that it may end with. */
async function safely(args: string[], exits = [0], options: RunOptions = {}): Promise<Ended> {
  const done = await home.run(args, options);
  const what = `lhs ${args.join(' ')}`;
  expect(exits, `${what}: ${done.stderr}`).toContain(done.code);
  expect(done.stdout.length + done.stderr.length, what).toBeGreaterThan(0);
  expectSafe(done.stdout, what);
  expectSafe(done.stderr, what);
  expect(done.stderr, what).not.toMatch(/bug in lhs/);
  return done;
}

/** The JSON of such a command, which has the values as they are. */
async function json<T>(args: string[], exits = [0]): Promise<T> {
  return JSON.parse((await safely([...args, '--json'], exits)).stdout) as T;
}

const INDEX = `version: 1
index: odd
source: { catalog: { type: filesystem, warehouse: ${JSON.stringify(lake)} }, table: h.odd }
key: { identifier: [id] }
fields:
  - { name: t, type: TEXT, source: ${JSON.stringify(NAMES[0])}, cached: true }
  - { name: k, type: KEYWORD, source: ${JSON.stringify(NAMES[1])}, fast: true, cached: true }
  - { name: constructor, type: KEYWORD, fast: true, cached: true }
`;

beforeAll(async () => {
  const catalog = { type: 'filesystem', warehouse: lake } as const;
  const fields: Field[] = NAMES.map((name, i) => {
    return { id: i + 2, name, required: false, type: text };
  });
  const schema = {
    schemaId: 0,
    identifierFieldIds: [1],
    fields: [
      { id: 1, name: 'id', required: true, type: text },
      ...fields,
      { id: 30, name: 'nested', required: false, type: { kind: 'struct', fields: INNER } as const },
    ],
  };
  const config = { catalog, table: 'h.odd' };
  const nested = Object.fromEntries(INNER.map(({ name }) => [name, ATTACK]));
  await createTable(catalog, 'h.odd', { schema });
  await appendRows(config, { kind: 'rows', rows: KEYS.map((id) => ({ ...row(id), nested })) });
  const changed = { ...row('k2'), [NAMES[0]!]: 'changed' };
  await upsertRows(config, { kind: 'rows', rows: [changed] });
  nameOddly(home.path('lake', 'h', 'odd', 'metadata'));
  const odd = home.path('lake', `n${ESC}[31m\n::error::n`, `t\u0007`);
  mkdirSync(odd, { recursive: true });
  cpSync(home.path('lake', 'h', 'odd'), odd, { recursive: true });
  writeFileSync(home.path('odd.yaml'), INDEX);
  await safely(['index', 'create', home.path('odd.yaml')]);
  await safely(['index', 'reindex', 'odd']);
}, 600_000);

/**
 * Gives the snapshots of a table's newest metadata hostile operations, and adds a hostile branch.
 */
function nameOddly(folder: string): void {
  const versions = readdirSync(folder).filter((name) => name.endsWith('.metadata.json'));
  const number = (name: string) => Number(/\d+/.exec(name)?.[0]);
  const newest = versions.toSorted((a, b) => number(b) - number(a))[0]!;
  const json = readFileSync(`${folder}/${newest}`, 'utf8');
  const [, head] = /"current-snapshot-id":\s*(\d+)/.exec(json) ?? [];
  const branch = `${JSON.stringify(`b${ATTACK}`)}:{"snapshot-id":${head},"type":"branch"},`;
  const edited = json
    .replace(/"operation":\s*"\w+"/g, () => `"operation":${JSON.stringify(`op${ATTACK}`)}`)
    .replace(/"refs":\s*\{/, (found) => found + branch);
  expect(edited).toContain('op\\u001b');
  expect(edited).toContain('"refs":{"b\\u001b');
  writeFileSync(`${folder}/${newest}`, edited);
}

describe('a hostile table', () => {
  it('source: names, types, operations and branches', async () => {
    await safely(['source', 'tables', ...at]);
    await safely(['source', 'describe', ...TABLE]);
    await safely(['source', 'snapshots', ...TABLE]);
    const { tables } = await json<{ tables: string[] }>(['source', 'tables', ...at]);
    expect(tables).toEqual(['h.odd', `n${ESC}[31m\n::error::n.t\u0007`]);
    const { columns } = await json<{ columns: { name: string }[] }>([
      ...['source', 'describe'],
      ...TABLE,
    ]);
    expect(columns.map(({ name }) => name)).toEqual(['id', ...NAMES, 'nested']);
    const { refs, snapshots } = await json<{
      refs: { name: string }[];
      snapshots: { snapshot: string; operation: string }[];
    }>(['source', 'snapshots', ...TABLE]);
    expect(refs.map(({ name }) => name)).toContain(`b${ATTACK}`);
    expect(snapshots[0]!.operation).toBe(`op${ATTACK}`);
  });

  it('source: rows and changes keep every value', async () => {
    const rows = await safely(['source', 'rows', ...TABLE]);
    const found = lines(rows.stdout).map((line) => JSON.parse(line));
    expect(found.map(({ id }) => id).sort()).toEqual([...KEYS].sort());
    const first = found.find(({ id }) => id === KEYS[0]);
    const inner = INNER.map(({ name }): [string, string] => [name, ATTACK]);
    expect(Object.entries({ ...first, nested: null })).toEqual([
      ...Object.entries(row(KEYS[0]!)),
      ['nested', null],
    ]);
    expect(Object.entries(first.nested)).toEqual(inner);
    const csv = await home.run(['source', 'rows', ...TABLE, '--columns', '__proto__,constructor'], {
      env: {},
    });
    expect(csv.stdout).toContain('"__proto__":"common');
    const flat = ['--columns', '__proto__', '--where', "id = 'k2'", '--format', 'csv'];
    expect((await home.run(['source', 'rows', ...TABLE, ...flat])).stdout).toBe(
      `__proto__\n"${value('__proto__', 'k2')}"\n`,
    );
    const { snapshots } = await json<{ snapshots: { snapshot: string }[] }>([
      ...['source', 'snapshots'],
      ...TABLE,
    ]);
    const [from, to] = snapshots.map(({ snapshot }) => snapshot);
    const changes = await safely(['source', 'changes', ...TABLE, '--from', from!, '--to', to!]);
    const [change] = lines(changes.stdout).map((line) => JSON.parse(line));
    expect(Object.entries(change.after)).toContainEqual(['__proto__', value('__proto__', 'k2')]);
    expect(change.after.constructor).toBe(value('constructor', 'k2'));
  });

  it('errors that list columns, branches and keys', async () => {
    await safely(['source', 'rows', ...TABLE, '--columns', `x${ATTACK}`], [3]);
    await safely(['source', 'rows', ...TABLE, '--ref', `x${ATTACK}`], [3]);
    await safely(['source', 'rows', ...TABLE, '--where', `x${ATTACK}`], [1, 2]);
    await safely(['source', 'describe', `h.${ESC}[31m`, ...at], [2, 3]);
    await safely(['index', 'init', `h.odd\n::error::`, ...at], [2, 3]);
    await safely(['keys', 'get', 'odd', `id=none${ATTACK}`], [3]);
    await safely(['search', 'odd', `t${ATTACK}:x AND (`], [2]);
    await safely(['search', 'odd', `t${ATTACK}:x AND (`, '--json'], [2]);
    await safely([`no${ATTACK}`], [2]);
    await safely(['help', `no${ATTACK}`], [2]);
    await safely(['search', 'odd', 'x', `--${ATTACK}`], [2]);
    await safely(['index', 'drop', `no${ATTACK}`], [3]);
  });

  it('index: every command that prints its texts', async () => {
    const init = await safely(['index', 'init', ...TABLE, '--name', 'again']);
    const created = await safely(['index', 'create', '-'], [0], { input: init.stdout });
    expect(created.stdout).toMatch(/^again created$/m);
    await safely(['index', 'describe', 'again']);
    const commands = [
      ['index', 'list'],
      ['index', 'describe', 'odd'],
      ['index', 'status', 'odd'],
      ['index', 'verify', 'odd'],
      ['index', 'sync', 'odd'],
      ['index', 'compact', 'odd'],
      ['index', 'facets', 'odd'],
      ['index', 'aggregate', 'odd', '--terms', 'k', '--terms', 'constructor'],
      ['index', 'suggest', 'odd', '--field', 'k', 'common'],
      ['index', 'analyze', 'odd', '--field', 't', ATTACK],
      ['index', 'explain', 'odd', 'common', '--key', `id=${KEYS[0]}`],
      ['index', 'explain', 'odd', `"nothing${ATTACK}"`, '--key', 'id=k2'],
      ['index', 'parse', `"a${ATTACK}"`],
      ['index', 'print', JSON.stringify({ term: { field: 't', value: `a${ATTACK}` } })],
      ['search', 'odd', 'common'],
      ['search', 'odd', `"none${ATTACK}"`],
      ['search', 'odd', 'common', '--hydrate', '--facet', 'k', '--sort', 'k'],
      ['search', 'odd', `common "${ATTACK}"`, '--operator', 'and', '--limit', '1'],
      ['keys', 'get', 'odd', ...KEYS.map((key) => `id=${key}`)],
    ];
    // every second of them, and one of six as JSON; others each day
    for (const command of everyNth(commands, byEffort(2, 1), seedOfDay())) await safely(command);
    const asJson = everyNth(commands, byEffort(6, 1), seedOfDay());
    for (const command of asJson) await safely([...command, '--json']);
    await safely(['index', 'export', 'odd']);
    for (const format of ['ndjson', 'json']) {
      await safely(['search', 'odd', 'common', '--hydrate', '--format', format]);
      await safely(['keys', 'get', 'odd', 'id=k2', '--format', format]);
    }
  });

  it('index: rows in answers are the rows of the table', async () => {
    const wanted = Object.entries(row(KEYS[1]!));
    const { rows } = await json<{ rows: { fields: object }[] }>([
      ...['keys', 'get', 'odd'],
      `id=${KEYS[1]}`,
    ]);
    expect(Object.entries(rows[0]!.fields)).toEqual(expect.arrayContaining(wanted));
    const { hits } = await json<{ hits: { row: object; fields: object }[] }>([
      ...['search', 'odd', 'k1', '--hydrate'],
    ]);
    expect(Object.entries(hits[0]!.row)).toEqual(expect.arrayContaining(wanted));
    expect(Object.entries(hits[0]!.fields)).toContainEqual([
      'constructor',
      value('constructor', KEYS[1]!),
    ]);
  });
});

describe('a hostile definition', () => {
  const bad = `version: 1
index: bad
source: { path: ${JSON.stringify(`${lake}/h/odd`)} }
key: { identifier: [id] }
fields:
  - { name: ${JSON.stringify(`f${ATTACK}`)}, type: TEXT }
  - { name: g, type: ${JSON.stringify(`T${ATTACK}`)} }
${JSON.stringify(`u${ATTACK}`)}: 1
`;
  beforeAll(() => writeFileSync(home.path('bad.yaml'), bad));

  it('is refused with safe lines', async () => {
    const file = home.path('bad.yaml');
    await safely(['index', 'validate', file], [2]);
    await safely(['index', 'create', file], [2]);
    const { issues } = await json<{ issues: { message: string }[] }>(
      ['index', 'validate', file],
      [2],
    );
    expect(issues.map(({ message }) => message).join()).toContain(ESC);
  });

  it('has no line or escape sequence of its own in annotations', async () => {
    const done = await home.run(['index', 'validate', home.path('bad.yaml'), '--github']);
    expect(done.code).toBe(2);
    expect(done.stdout).not.toMatch(CONTROL);
    const printed = lines(done.stdout);
    for (const line of printed) expect(line).toMatch(/^::(error|warning) file=[^:]*,line=\d+,col=/);
    const wire = await json<{ issues: object[] }>(
      ['index', 'validate', home.path('bad.yaml')],
      [2],
    );
    expect(printed).toHaveLength(wire.issues.length);
  });
});

describe('a hostile saved query', () => {
  it('is listed and run safely', async () => {
    const query = `"common" OR "x${ATTACK}"`;
    await safely(['query', 'save', 'evil', 'odd', query, '--description', ATTACK]);
    await safely(['query', 'list']);
    const listed = await json<{ saved_queries: { request: { query: string } }[] }>([
      ...['query', 'list'],
    ]);
    expect(listed.saved_queries[0]!.request.query).toBe(query);
    await safely(['query', 'run', 'evil', '--limit', '1']);
    await safely(['query', 'run', 'evil', '--json']);
    await safely(['query', 'run', `no${ATTACK}`], [3]);
  });
});

describe('a hostile server', () => {
  it('has its messages printed safely, with --debug too', async () => {
    const server = createServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: ATTACK, type: ATTACK, code: 500 } }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    writeFileSync(home.path('rest.yaml'), `type: rest\nuri: http://127.0.0.1:${port}\n`);
    const rest = ['--catalog', home.path('rest.yaml')];
    // at once: each of them tries again for a while
    await Promise.all(
      [[], ['--debug'], ['--json', '--debug']].flatMap((more) => [
        safely(['source', 'tables', ...rest, ...more], [1, 7]),
        safely(['source', 'describe', 'a.b', ...rest, ...more], [1, 7]),
      ]),
    );
    await new Promise((done) => server.close(done));
  });
});

describe('hostile settings', () => {
  it('are shown safely', async () => {
    const env = { LHS_DATA_DIR: home.path(`data${ATTACK}`.replaceAll('/', '_')) };
    await safely([], [0], { env });
    await safely(['config', 'view', '--show-origin'], [0], { env });
    await safely(['config', 'view', '--json'], [0], { env });
    await safely(['doctor'], [0, 1], { env });
    await safely(['index', 'list'], [0], { env });
  });
});
