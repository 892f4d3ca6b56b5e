import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/** What commands load: a one-shot command pays for every module. Run `npm run build` before. */
const home = new Home();
afterAll(() => home.dispose());

const bundle = new URL('../bundle/', import.meta.url).href;
const hook = pathToFileURL(home.path('hook.mjs')).href;

const HOOK = `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
const file = new URL('./loaded.txt', import.meta.url);
registerHooks({
  load: (url, context, next) => (appendFileSync(file, url + '\\n'), next(url, context)),
});
`;

/** Throws where a segmenter or a collator would be made: 10 to 20 ms of processor time each. */
const NO_INTL = `const no = () => {
  throw new Error('a start that reads tables of Unicode');
};
Intl.Segmenter = class { constructor() { no(); } };
String.prototype.localeCompare = no;
`;

beforeAll(async () => {
  writeFileSync(home.path('hook.mjs'), HOOK);
  writeFileSync(home.path('rows.ndjson'), '{"id":1,"title":"a timeout"}\n');
  const table = ['--table', 't.rows', '--warehouse', home.path('lake'), '--key', 'id'];
  await home.json(['source', 'import', home.path('rows.ndjson'), ...table]);
  const definition = [
    'version: 1',
    'index: rows',
    'source: { catalog: { type: filesystem, warehouse: ./lake }, table: t.rows }',
    'key: { identifier: [id] }',
    'fields: [{ name: title, type: TEXT, cached: true }]',
  ];
  writeFileSync(home.path('rows.yaml'), definition.join('\n'));
  await home.json(['index', 'create', '-f', home.path('rows.yaml')]);
  await home.json(['index', 'reindex', 'rows']);
});

/** URLs of the modules that a command loads, but those of Node. */
async function loaded(...args: readonly string[]): Promise<string[]> {
  writeFileSync(home.path('loaded.txt'), '');
  const env = { NODE_OPTIONS: `--import=${home.path('hook.mjs')}` };
  const { code, stderr } = await home.run(args, { env });
  if (code !== 0) throw new Error(stderr);
  const urls = readFileSync(home.path('loaded.txt'), 'utf8').split('\n');
  return [...new Set(urls.filter((url) => url.startsWith('file:') && url !== hook))];
}

/** The sources of modules: those that a file of the bundle is made of, by its source map. */
function sources(urls: readonly string[]): string[] {
  return urls.flatMap((url) => {
    const file = fileURLToPath(`${url}.map`);
    if (!url.startsWith(bundle) || !existsSync(file)) return [url];
    const map = JSON.parse(readFileSync(file, 'utf8'));
    return map.sources.map((source: string) => new URL(source, url).href);
  });
}

const HEAVY =
  /node_modules\/(ink|react|@grpc|fastify|@bufbuild|pino|@modelcontextprotocol|zod|yoga-layout|@duckdb|yaml|apache-arrow|@huggingface|@aws-sdk|@smithy)\/|\/src\/tui\//;

describe('modules that a command loads from the bundle', () => {
  it('search: few, and no screen, model, DuckDB or YAML', async () => {
    const urls = await loaded('search', 'rows', 'timeout', '--json');
    expect(
      urls.some((url) => url.startsWith(bundle)),
      'run npm run build',
    ).toBe(true);
    expect(urls.length).toBeLessThanOrEqual(45);
    const all = sources(urls);
    expect(all.filter((url) => HEAVY.test(url))).toEqual([]);
    const embedding = /\/engine\/src\/embed\/(?!models\.ts|embedder\.ts)/;
    expect(all.filter((url) => embedding.test(url))).toEqual([]);
    // the source maps name what is loaded
    expect(all.filter((url) => /\/engine\/src\/search\/search\.ts$/.test(url))).toHaveLength(1);
  });

  it('a list of indexes: no code that searches', async () => {
    const all = sources(await loaded('index', 'list', '--json'));
    const searching = /\/engine\/src\/(query\/|scoring\/|collect\/|shard\/local-shard)/;
    expect(all.filter((url) => searching.test(url))).toEqual([]);
    expect(all.filter((url) => /\/engine\/src\/local-backend\.ts$/.test(url))).toHaveLength(1);
  });

  it('help: nothing of the engine', async () => {
    const all = sources(await loaded('--help'));
    expect(all.filter((url) => /\/packages\/(engine|lake)\//.test(url))).toEqual([]);
    expect(all.filter((url) => /\/cli\/src\/main\.ts$/.test(url))).toHaveLength(1);
  });

  it('rows of a local table: nothing that speaks to S3', async () => {
    const urls = await loaded('source', 'rows', 't.rows', '--warehouse', home.path('lake'));
    expect(sources(urls).filter((url) => /@aws-sdk|@smithy|\/objects\/s3-/.test(url))).toEqual([]);
  });

  it.each([[['search', 'rows', 'timeout']], [['index', 'list']], [['--help']]])(
    '%s: no Unicode tables of Intl',
    async (args) => {
      const env = { NODE_OPTIONS: `--import=${home.path('no-intl.mjs')}` };
      writeFileSync(home.path('no-intl.mjs'), NO_INTL);
      const { code, stdout, stderr } = await home.run(args, { env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toBe('');
    },
  );

  it('version: the program alone', async () => {
    expect(await loaded('--version')).toHaveLength(1);
  });
});

describe('files of the bundle that are found by URL', () => {
  const chunks = readdirSync(new URL('chunks/', bundle)).filter((name) => name.endsWith('.js'));
  const code = chunks.map((name) => readFileSync(new URL(`chunks/${name}`, bundle), 'utf8'));

  it.each([
    ['threads', /\(`([a-z]+-worker)`,\s*import\.meta\.url\)/g, 'chunks/', 6],
    ['stemmers', /require[$\w]*\(`\.\.\/(snowball)\//g, '', 1],
  ])('%s lie beside the chunk that names them', (_, pattern, folder, count) => {
    const names = code.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1]));
    expect(new Set(names).size).toBe(count);
    const there = readdirSync(new URL(folder, bundle)).map((name) => name.replace(/\.js$/, ''));
    for (const name of names) expect(there).toContain(name);
  });

  it('vendored packages and data are where chunks name them', () => {
    const pattern = /['"`]\.\.\/(vendor\/[\w./-]+\.(?:cjs|json))['"`]/g;
    const files = new Set(
      code.flatMap((text) => [...text.matchAll(pattern)].map(([, file]) => file)),
    );
    expect(files.size).toBe(4);
    for (const file of files) expect(existsSync(new URL(file, bundle)), file).toBe(true);
  });
});
