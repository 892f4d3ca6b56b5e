import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/** What commands load: a one-shot command pays for every module, a screen's or a model's too. */
const home = new Home();
afterAll(() => home.dispose());

const HOOK = `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
const file = new URL('./loaded.txt', import.meta.url);
registerHooks({
  load: (url, context, next) => (appendFileSync(file, url + '\\n'), next(url, context)),
});
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

/** URLs of the modules that a command loads. */
async function loaded(...args: readonly string[]): Promise<string[]> {
  writeFileSync(home.path('loaded.txt'), '');
  const env = { NODE_OPTIONS: `--import=${home.path('hook.mjs')}` };
  const { code, stderr } = await home.run(args, { env });
  if (code !== 0) throw new Error(stderr);
  return readFileSync(home.path('loaded.txt'), 'utf8').split('\n');
}

const HEAVY =
  /node_modules\/(ink|react|yoga-layout|@duckdb|yaml|apache-arrow|@huggingface|hnswlib-node|@aws-sdk|@smithy)\/|\/dist\/tui\//;

describe('loading of modules', () => {
  it('search loads no screen, no model, no DuckDB and no YAML', async () => {
    const urls = await loaded('search', 'rows', 'timeout', '--json');
    expect(urls.filter((url) => HEAVY.test(url))).toEqual([]);
    expect(
      urls.filter((url) => /\/engine\/dist\/embed\/(?!models\.js|embedder\.js)/.test(url)),
    ).toEqual([]);
    // the hook sees what is loaded
    expect(urls.filter((url) => /\/engine\/dist\/search\/search\.js$/.test(url))).toHaveLength(1);
  });

  it('a list of indexes loads no code that searches', async () => {
    const urls = await loaded('index', 'list', '--json');
    const searching = /\/engine\/dist\/(query\/|scoring\/|collect\/|shard\/local-shard)/;
    expect(urls.filter((url) => searching.test(url))).toEqual([]);
  });

  it('reading a local table loads nothing that speaks to S3', async () => {
    const urls = await loaded('source', 'rows', 't.rows', '--warehouse', home.path('lake'));
    expect(urls.filter((url) => /@aws-sdk|@smithy|\/objects\/s3-/.test(url))).toEqual([]);
  });

  it('version loads next to nothing', async () => {
    const urls = await loaded('--version');
    expect(urls.filter((url) => /\/(packages|node_modules)\//.test(url)).length).toBeLessThan(3);
  });
});
