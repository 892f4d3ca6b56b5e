import { cpSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/** `lhs model …` as processes of their own. */
const SHIPPED = fileURLToPath(new URL('../../model-static-384/', import.meta.url));
const home = new Home();
afterAll(() => home.dispose());

const FILES = ['model.json', 'vectors.i8', 'scales.f32', 'vocab.txt', 'golden.json'];

/** The shipped model once more, with one file of its own. */
function copy(name: string, changed: string, change: (path: string) => void): void {
  mkdirSync(home.path('models', name), { recursive: true });
  for (const file of FILES) {
    const path = home.path('models', name, file);
    if (file === changed) cpSync(join(SHIPPED, file), path);
    else symlinkSync(join(SHIPPED, file), path);
  }
  change(home.path('models', name, changed));
}

const flip = (path: string): void => {
  const bytes = readFileSync(path);
  bytes[1_000_000] ^= 1;
  writeFileSync(path, bytes);
};
const otherNumber = (path: string): void => {
  const golden = JSON.parse(readFileSync(path, 'utf8'));
  golden.texts[1].embedding[7] += 0.001;
  writeFileSync(path, JSON.stringify(golden));
};

beforeAll(() => {
  copy('whole', 'vocab.txt', () => {});
  copy('short', 'vectors.i8', (path) => truncateSync(path, 1000));
  copy('flipped', 'vectors.i8', flip);
  copy('strange', 'golden.json', otherNumber);
  mkdirSync(home.path('models', 'no-model'));
});

interface Listed {
  readonly model: string;
  readonly checksum?: string;
  readonly error?: string;
}

describe('lhs model', () => {
  it('list names the model that ships, and those of a folder', async () => {
    const own = await home.json<{ models: Listed[] }>(['model', 'list']);
    expect(own.models.map(({ model }) => model)).toEqual(['default']);
    const { models } = await home.json<{ models: Listed[] }>(['model', 'list', 'models']);
    const names = [
      'default',
      ...['flipped', 'short', 'strange', 'whole'].map((n) => `models/${n}`),
    ];
    expect(models.map(({ model }) => model)).toEqual(names);
    expect(new Set(models.map(({ checksum }) => checksum)).size).toBe(1);
    const { stdout } = await home.run(['model', 'list', 'models/whole']);
    expect(stdout.split('\n')[2]).toMatch(/^models\/whole +static +384 +12\.1 MB +0f09cc6d0ec9$/);
  });

  it('describe says what a model is', async () => {
    const { stdout, code } = await home.run(['model', 'describe', 'default']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^static-384 1\.0\.0 {2}static, 384 dimensions, language en, Apache-2\.0$/m,
    );
    expect(stdout).toMatch(/^vectors\.i8 +11\.7 MB {2}2939267dffa0/m);
  });

  it('check says that the shipped one is whole', async () => {
    const { stdout, code } = await home.run(['model', 'check', 'default']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^static-384 {2}static, 384 dimensions: intact$/m);
    expect(stdout).toMatch(/^golden\.json +ok: 11 texts, largest difference \d\.\de-6$/m);
  });

  it.each([
    ['short', '"vectors.i8" is not the file that its model lists'],
    ['flipped', '"vectors.i8" is not the file that its model lists'],
    ['strange', 'the texts of "golden.json" give other vectors'],
  ])('check of one that is not (%s) names the file, exit 5', async (name, problem) => {
    const { stdout, code } = await home.run(['model', 'check', `models/${name}`, '--json']);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [problem] });
  });

  it('none there: says so and what to do, exit 5', async () => {
    for (const command of ['describe', 'check']) {
      const missing = await home.run(['model', command, 'models/none']);
      expect(missing).toMatchObject({ code: 5, stdout: '' });
      expect(missing.stderr).toContain('models/none" is missing');
      expect(missing.stderr).toContain('name "default", which ships with lhs');
      const empty = await home.run(['model', command, 'models/no-model', '--json']);
      expect(empty.code).toBe(5);
      expect(JSON.parse(empty.stdout).error).toMatchObject({
        code: 'model_unavailable',
        status: 412,
      });
    }
  });
});
