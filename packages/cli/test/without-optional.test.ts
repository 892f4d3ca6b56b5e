import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIMS, writeTransformer } from '../../../test/support/transformer-folder.ts';
import { type Ended, ended, Home } from './child.ts';

/** `lhs` as it is where the optional packages are not installed. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const OPTIONAL = ['@huggingface', 'onnxruntime-node', 'onnxruntime-common'];
const OWN = '@lakehouse-search';
const home = new Home();
afterAll(() => home.dispose());

/** An installation: our packages as they were built, links to all others but the optional ones. */
function install(): void {
  const modules = home.path('node_modules');
  mkdirSync(join(modules, OWN), { recursive: true });
  writeFileSync(home.path('package.json'), '{}');
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || name === OWN || OPTIONAL.includes(name)) continue;
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of ['cli', 'contract', 'engine', 'lake', 'model-static-384']) {
    const from = join(ROOT, 'packages', name);
    for (const part of readdirSync(from)) {
      if (['src', 'test', 'node_modules'].includes(part)) continue;
      cpSync(join(from, part), join(modules, OWN, name, part), { recursive: true });
    }
    const inner = join(from, 'node_modules');
    if (existsSync(inner)) symlinkSync(inner, join(modules, OWN, name, 'node_modules'));
  }
}

async function lhs(...args: string[]): Promise<Ended> {
  const bin = home.path('node_modules', OWN, 'cli/bin/lhs.js');
  const { NO_COLOR: _, FORCE_COLOR: __, LHS_URL: ___, COLUMNS: ____, ...set } = process.env;
  const { LHS_TRANSFORMERS: _____, ...inherited } = set;
  const env = {
    ...inherited,
    LHS_DATA_DIR: home.path('data'),
    XDG_CONFIG_HOME: home.path('config'),
  };
  const child = spawn(process.execPath, [bin, ...args], { cwd: home.folder, env });
  child.stdin.end();
  return ended(child);
}

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await lhs(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

function define(index: string, vector: string): string {
  const path = home.path(`${index}.yaml`);
  const fields =
    'fields:\n  - { name: text, type: TEXT }\n  - { name: meaning, type: VECTOR, source: ' +
    `text${vector} }\n`;
  const catalog = `{ type: filesystem, warehouse: ${home.path('wh')} }`;
  const source = `source: { catalog: ${catalog}, table: a.notes }`;
  writeFileSync(
    path,
    `version: 1\nindex: ${index}\n${source}\nkey: { identifier: [id] }\n${fields}`,
  );
  return path;
}

beforeAll(async () => {
  install();
  const notes = [
    { id: 1, text: 'the car would not start this morning' },
    { id: 2, text: 'a physician looked at the patient' },
    { id: 3, text: 'red and green paint' },
  ];
  writeFileSync(
    home.path('notes.ndjson'),
    notes.map((note) => `${JSON.stringify(note)}\n`).join(''),
  );
  await done(
    'source',
    'import',
    'notes.ndjson',
    '--table',
    'a.notes',
    '--warehouse',
    'wh',
    '--key',
    'id',
  );
});

interface Answer {
  readonly hits: readonly { coordinates: { identifier: { value: unknown }[] } }[];
}

describe('without @huggingface/transformers', () => {
  it.each([
    ['flat', ''],
    ['graph', ', index: hnsw'],
  ])('the default model embeds and finds (%s)', async (index, vector) => {
    await done('index', 'create', '-f', define(index, vector));
    await done('index', 'reindex', index);
    for (const mode of ['semantic', 'hybrid']) {
      const answer: Answer = JSON.parse(await done('index', mode, index, 'doctor', '--json'));
      expect(answer.hits[0].coordinates.identifier[0].value, mode).toBe('2');
    }
    await done('index', 'verify', index);
  });

  it('a transformer names the line to type, and the rest goes on', async () => {
    writeTransformer(home.path('small'));
    await done('index', 'create', '-f', define('deep', `, model: ./small, dims: ${DIMS}`));
    const line = 'npm install @huggingface/transformers@4.3.1';
    for (const args of [
      ['index', 'reindex', 'deep'],
      ['model', 'check', 'small'],
    ]) {
      const refused = await lhs(...args);
      expect(refused.code, args.join(' ')).toBe(5);
      const said = refused.stdout + refused.stderr;
      expect(said).toMatch(/@huggingface\/transformers"\s+is\s+not\s+installed/);
      expect(said.split(line).length, said).toBe(2);
    }
    const refused = await lhs('index', 'reindex', 'deep', '--json');
    const { error } = JSON.parse(refused.stdout);
    expect(error).toMatchObject({
      code: 'model_unavailable',
      status: 412,
      details: { hint: line },
    });
    expect(await done('model', 'describe', 'small')).toContain(`not installed: ${line}`);
    await done('search', 'flat', 'physician');
  });
});
