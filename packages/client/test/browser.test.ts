/** The client where there is no Node: its modules are bundled and run with `fetch` alone. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('../src/create-client.ts', import.meta.url));
const CONTRACT = fileURLToPath(new URL('../../contract/src/index.ts', import.meta.url));

/** The script of a page, and the modules that are not in it. */
async function script(): Promise<{ readonly text: string; readonly outside: readonly string[] }> {
  const bundle = await rolldown({
    input: ENTRY,
    resolve: { alias: { '@lakehouse-search/contract': CONTRACT } },
    external: [/grpc-transport/, /pool-exchange/],
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'lhs' });
  await bundle.close();
  const [{ code, imports, dynamicImports }] = output;
  return { text: code, outside: [...imports, ...dynamicImports] };
}

describe('the client in a browser', () => {
  it('needs fetch and what browsers have, and loads modules of Node for Node', async () => {
    const { text, outside } = await script();
    const loaded = outside.map((path) => path.replace(/.*\//, ''));
    expect(loaded.sort()).toEqual(['grpc-transport.ts', 'pool-exchange.ts']);
    const sent: { url: string; init: RequestInit }[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push({ url, init });
      if (sent.length === 1) throw new TypeError('Failed to fetch');
      return new Response('{"total":3,"hits":[]}', { status: 200 });
    };
    const page = { fetch, URL, URLSearchParams, TextDecoder, TextEncoder, AbortController };
    const browser = { ...page, setTimeout, clearTimeout, console };
    const answer = runInNewContext(
      `${text}
      lhs.createClient({ url: 'https://search.example', apiKey: 'lhs_x' })
        .search({ index: 'notes', query: 'disk' });`,
      browser,
    ) as Promise<{ readonly total: number }>;
    expect((await answer).total).toBe(3);
    expect(sent.map(({ url }) => url)).toEqual(Array(2).fill('https://search.example/v1/search'));
    expect(sent[1].init).toMatchObject({
      method: 'POST',
      body: '{"index":"notes","query":"disk"}',
    });
    expect(sent[1].init.headers).toMatchObject({ authorization: 'ApiKey lhs_x' });
  });

  it('is bundled without the pool of Node', () => {
    const home = new URL('../', import.meta.url);
    const { browser } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'));
    expect(browser).toEqual({ './dist/rest/pool-exchange.js': false });
    expect(existsSync(new URL('src/rest/pool-exchange.ts', home))).toBe(true);
  });
});
