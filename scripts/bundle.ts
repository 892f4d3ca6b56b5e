/**
 * Writes packages/cli/bundle: the command as it is published, about 150 files instead of 1,000, so
 * that a one-shot search loads few modules (docs/adr/toolchain.md). Run by `npm run build`.
 *
 * The packages that packages/cli/package.json lists as dependencies stay outside. All others are
 * bundled, ours and oclif among them, and their licenses are copied.
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
import { lazily } from './bundle-lazily.ts';

const packages = fileURLToPath(new URL('../packages', import.meta.url));
const cli = join(packages, 'cli');
const engine = join(packages, 'engine/src');
const folder = join(cli, 'bundle');
const OURS = ['contract', 'lake', 'engine', 'client', 'mcp', 'server'];

const pjson = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
const outside = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((group) =>
  Object.keys(pjson[group] ?? {}),
);
outside.push('typescript'); // oclif loads it to run sources

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
 * of responses as lines, and of all searches. The rest is split where the sources import lazily.
 */
const groups = [
  { name: 'main', test: /cli.src.(main|base-command)\.ts$/ },
  { name: 'engine', test: /engine.src.index\.ts$/ },
  { name: 'lines', test: /cli.src.search.run-search\.ts$/ },
  { name: 'search', test: /engine.src.(local.reads|search.search)\.ts$/ },
].map((group, at) => ({ ...group, priority: 9 - at }));

/** The licenses of the packages whose modules are in the chunks, and of the stemmers. */
function licenses(chunks: readonly OutputChunk[]): string {
  const homes = new Set<string>();
  for (const id of chunks.flatMap((chunk) => chunk.moduleIds)) {
    const home = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
    if (home !== undefined && existsSync(join(home, 'package.json'))) homes.add(home);
  }
  const texts = new Set([...homes].sort().map(license));
  return [...texts, readFileSync(join(packages, 'engine/LICENSE-snowball'), 'utf8')].join('\n');
}

function license(home: string): string {
  const {
    name,
    version,
    license: kind,
  } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const files = readdirSync(home).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(home, file), 'utf8').trim());
  return [`# ${name} ${version} (${kind})`, '', ...texts, ''].join('\n');
}

const bundle = await rolldown({
  input,
  platform: 'node',
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: {
    alias: Object.fromEntries(
      OURS.map((name) => [`@lakehouse-search/${name}`, join(packages, name, 'src/index.ts')]),
    ),
  },
  plugins: [lazily()],
  // the oldest Node that `engines` promises: newer syntax is lowered
  transform: { target: `node${minVersion(pjson.engines.node)}` },
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
});
// the pages that `lhs help PAGE` prints
const docs = fileURLToPath(new URL('../docs', import.meta.url));
const pages = readdirSync(docs).filter((file) => file.endsWith('.md'));
for (const page of pages) cpSync(join(docs, page), join(folder, 'docs', page));
const chunks = output.filter((file) => file.type === 'chunk');
writeFileSync(join(folder, 'LICENSES.txt'), licenses(chunks));
console.log(`${dirname(folder)}: ${chunks.length} files`);
