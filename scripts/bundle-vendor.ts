/**
 * Writes `vendor` of the bundle: packages that are loaded by their path, and files that packages
 * read. `bundle-edits.ts` names the same paths.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

/** The modules in `vendor/lib`, by their names there. */
const MODULES: Readonly<Record<string, string>> = {
  yaml: 'yaml',
  'node-api': '@duckdb/node-api',
};

/** Files that packages read, by their folders in `vendor`. */
const FILES: Readonly<Record<string, string>> = {
  prebuilds: 'node_modules/better-sqlite3/prebuilds',
  'proto/health': 'node_modules/grpc-health-check/proto/health',
  'proto/grpc': 'node_modules/@grpc/reflection/build/proto/grpc',
  console: 'packages/console/assets',
};

/** Removes white space and comments, and keeps names: stacks stay readable. */
export const MINIFY = { compress: false, mangle: false, codegen: true };

const MODEL = 'packages/model-static-384';

/** The lists of stop words, which the engine requires by the names of languages. */
function stopWords(root: string): Readonly<Record<string, string>> {
  const manifest = join(root, 'node_modules/@orama/stopwords/package.json');
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  const names = Object.keys(exports).map((path) => path.slice('./'.length));
  return Object.fromEntries(names.map((name) => [`stopwords-${name}`, `@orama/stopwords/${name}`]));
}

/** Writes the folder, and returns the modules in it. */
export async function vendor(root: string, folder: string): Promise<readonly OutputChunk[]> {
  for (const [to, from] of Object.entries(FILES)) {
    cpSync(join(root, from), join(folder, 'vendor', to), { recursive: true });
  }
  const { files } = JSON.parse(readFileSync(join(root, MODEL, 'package.json'), 'utf8'));
  for (const file of files) {
    cpSync(join(root, MODEL, file), join(folder, 'vendor/model-static-384', file));
  }
  const bundle = await rolldown({
    input: { ...MODULES, ...stopWords(root) },
    cwd: root,
    platform: 'node',
    external: /^@duckdb\/node-bindings/,
  });
  const { output } = await bundle.write({
    dir: join(folder, 'vendor/lib'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: MINIFY,
  });
  return output.filter((file) => file.type === 'chunk');
}
