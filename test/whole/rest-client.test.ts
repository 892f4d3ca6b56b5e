// @module-tag campaign
// @module-tag program
/**
 * The client of browsers and edge runtimes: bundled as a page's build does it, and run without
 * anything of Node against a service. LHS_BUNDLERS names a folder with esbuild, webpack and vite.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../packages/server/test/support/service.ts';
import { ROOT } from '../house/sources.ts';

const MAX_BYTES = 30_000;
const BUNDLERS = process.env.LHS_BUNDLERS;
const PAGE = `
import { createRestClient, LhsError } from '@lakehouse-search/client/rest';
globalThis.run = async (options) => {
  const client = createRestClient(options);
  const missing = await client.search({ index: 'none', query: 'x' }).catch((error) => error);
  const stop = new AbortController();
  stop.abort();
  const call = client.indexes.list({}, { signal: stop.signal });
  const aborted = await call.catch((error) => error.name);
  const indexes = await client.indexes.list();
  await client.close();
  return { known: missing instanceof LhsError, code: missing.code, aborted, indexes };
};
`;

/** Writes a minified script of the page to `out`. */
type Bundle = (entry: string, out: string) => Promise<unknown>;

const installed = async (name: string) => {
  const path = createRequire(join(BUNDLERS ?? ROOT, 'package.json')).resolve(name);
  return (await import(path)).default ?? (await import(path));
};

const BUNDLES: Readonly<Record<string, Bundle>> = {
  async rolldown(entry, file) {
    const bundle = await rolldown({ input: entry, platform: 'browser' });
    await bundle.write({ file, format: 'iife', minify: true });
    await bundle.close();
  },
  esbuild: async (entry, outfile) => (await installed('esbuild')).build(esbuild(entry, outfile)),
  'esbuild for an edge runtime': async (entry, outfile) =>
    (await installed('esbuild')).build({
      ...esbuild(entry, outfile),
      ...{ platform: 'neutral', conditions: ['edge-light', 'worker'] },
    }),
  async webpack(entry, out) {
    const webpack = await installed('webpack');
    const output = { path: join(out, '..'), filename: 'page.js' };
    await webpacked(webpack({ mode: 'production', target: 'web', entry, output }));
  },
  async 'webpack for a worker'(entry, out) {
    const webpack = await installed('webpack');
    const output = { path: join(out, '..'), filename: 'page.js' };
    await webpacked(webpack({ mode: 'production', target: 'webworker', entry, output }));
  },
  async vite(entry, out) {
    const lib = { entry, formats: ['iife'], name: 'page', fileName: () => 'page.js' };
    const build = { lib, outDir: join(out, '..'), minify: true };
    const options = { root: join(entry, '..'), logLevel: 'silent', configFile: false, build };
    await (await installed('vite')).build(options);
  },
};

const esbuild = (entry: string, outfile: string) => ({
  ...{ entryPoints: [entry], outfile, bundle: true, minify: true },
  ...{ format: 'iife', platform: 'browser', logLevel: 'silent' },
});

interface Compiler {
  run(
    done: (error: Error | null, stats: { hasErrors(): boolean; toString(): string }) => void,
  ): void;
}

const webpacked = (compiler: Compiler): Promise<void> =>
  new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error !== null || stats.hasErrors()) reject(error ?? new Error(stats.toString()));
      else resolve();
    });
  });

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService({});
  folder = mkdtempSync(join(tmpdir(), 'lhs-bundles-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'page.mjs'), PAGE);
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What every such runtime has, and nothing of Node. */
const runtime = () => ({
  ...{ fetch, URL, URLSearchParams, TextDecoder, TextEncoder, AbortController, AbortSignal },
  ...{ setTimeout, clearTimeout },
});

describe.each(Object.keys(BUNDLES))('the REST client, bundled by %s', (name) => {
  const isHere = name === 'rolldown' || BUNDLERS !== undefined;
  const why = isHere ? '' : ' (skipped: LHS_BUNDLERS names no folder with bundlers)';

  it.skipIf(!isHere)(`is small and runs without Node${why}`, async () => {
    const home = mkdtempSync(join(folder, 'out-'));
    const out = join(home, 'out', 'page.js');
    mkdirSync(join(home, 'out'));
    await BUNDLES[name](join(folder, 'page.mjs'), out);
    const text = readFileSync(out, 'utf8');
    process.stdout.write(`${name}: ${text.length} bytes\n`);
    expect(text.length).toBeLessThanOrEqual(MAX_BYTES);
    const page = runtime() as ReturnType<typeof runtime> & { run: (o: object) => Promise<object> };
    runInNewContext(text, page);
    const token = (await service.token({ roles: ['reader'] })).replace('ApiKey ', '');
    const answer = await page.run({ url: service.server.url, token });
    const expected = { known: true, code: 'index_not_found', aborted: 'AbortError', indexes: [] };
    expect(answer).toMatchObject(expected);
  });
});
