/**
 * Writes packages/cli/bundle: the command as it is published, so that one tarball contains it and a
 * one-shot search loads few modules (docs/adr/toolchain.md). Run by `npm run build`.
 *
 * The packages that packages/cli/package.json lists as dependencies stay outside. All others are
 * bundled, and their licenses are copied.
 */
import {
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { copyPages } from './bundle-docs.ts';
import { edits } from './bundle-edits.ts';
import { keepLines } from './bundle-maps.ts';
import { MINIFY, vendor } from './bundle-vendor.ts';
import { SOURCES } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'packages');
const cli = join(packages, 'cli');
const engine = join(packages, 'engine/src');
const folder = join(cli, 'bundle');

/** The script of `reindex --runner spark`. */
const SPARK = 'integrations/spark/lhs_spark.py';
const pjson = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
const outside = ['dependencies', 'peerDependencies'].flatMap((group) => Object.keys(pjson[group]));
// what oclif, ink and pg load only if somebody installed it
outside.push('typescript', 'react-devtools-core', 'pg-native');

/** The version of a range such as `>=22.19`. */
function minVersion(range: string): string {
  const version = /^>=(\d+\.\d+)$/.exec(range)?.[1];
  if (version === undefined) throw new Error(`engines.node is "${range}", expected ">=X.Y"`);
  return version;
}

/** Files of a folder that match a pattern, without tests, by their names in the bundle. */
function entries(from: string, pattern: string, name: (file: string) => string) {
  const files = globSync(pattern, { cwd: from }).filter((file) => !file.endsWith('.test.ts'));
  return files.map((file) => [name(file.replace(/\.ts$/, '')), join(from, file)]);
}

/**
 * What is loaded by its path. Threads lie beside the code that starts them, stemmers beside the
 * folder of that code, as in the sources.
 */
const input = Object.fromEntries([
  ...entries(join(cli, 'src'), '{main,help,{commands,hooks}/**/*}.ts', (file) => file),
  ...entries(engine, '**/*-worker.ts', (file) => `chunks/${basename(file)}`),
  ...entries(engine, 'analysis/snowball/*.ts', (file) => `snowball/${basename(file)}`),
]);

/**
 * One file each for the modules that every command loads, those of the commands that open an index,
 * of responses as lines, of all searches, and of suggestions. The rest is split where the sources
 * import lazily.
 */
const groups = [
  { name: 'main', test: /cli.src.(main|base-command)\.ts$|contract.src./ },
  { name: 'engine', test: /engine.src.(index|internal|local-backend)\.ts$/ },
  { name: 'lines', test: /cli.src.search.run-search\.ts$/ },
  { name: 'search', test: /engine.src.(local.reads|search.search)\.ts$/ },
  { name: 'advice', test: /engine.src.search.advice./ },
].map((group, at) => ({ ...group, priority: 9 - at }));

/** The licenses of the packages whose modules are in the chunks, and of the stemmers. */
function licenses(chunks: readonly OutputChunk[]): string {
  const homes = new Set<string>();
  for (const id of chunks.flatMap((chunk) => chunk.moduleIds)) {
    const home = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
    if (home !== undefined && existsSync(join(home, 'package.json'))) homes.add(home);
  }
  const packagesOf = Map.groupBy([...homes].sort(), licenseText);
  const texts = [...packagesOf].map(([text, of]) => [...new Set(of.map(title)), '', text, '']);
  return [...texts.flat(), readFileSync(join(packages, 'engine/LICENSE-snowball'), 'utf8')].join(
    '\n',
  );
}

function licenseText(home: string): string {
  const files = readdirSync(home).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  return files.map((file) => readFileSync(join(home, file), 'utf8').trim()).join('\n\n');
}

function title(home: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return `# ${name} ${version} (${license})`;
}

const bundle = await rolldown({
  input,
  platform: 'node',
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: { alias: SOURCES },
  plugins: [edits()],
  transform: {
    // the oldest Node that `engines` promises: newer syntax is lowered
    target: `node${minVersion(pjson.engines.node)}`,
    // packages such as react have a second build for development
    define: { 'process.env.NODE_ENV': '"production"' },
  },
  checks: { ineffectiveDynamicImport: false },
});
rmSync(folder, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { groups },
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: MINIFY,
});
const vendored = await vendor(root, folder);
for (const chunk of output) {
  if (chunk.type !== 'chunk' || chunk.sourcemapFileName === null) continue;
  const map = join(folder, chunk.sourcemapFileName);
  if (chunk.moduleIds.some((id) => id.startsWith(packages))) keepLines(map);
  else rmSync(map);
}
copyPages(join(root, 'docs'), join(folder, 'docs'), pjson.description);
cpSync(join(root, SPARK), join(folder, SPARK));
const chunks = [...output.filter((file) => file.type === 'chunk'), ...vendored];
writeFileSync(join(folder, 'LICENSES.txt'), licenses(chunks));
console.log(`${dirname(folder)}: ${chunks.length} files`);
