/**
 * Writes packages/console/assets: the web console as a browser loads it (docs/adr/console.md), and
 * assets.json, which lists the files. Run by `npm run build`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { SOURCES } from './sources.ts';

const home = fileURLToPath(new URL('../packages/console/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Writes the files of the console into a folder, which it empties first. */
export async function buildConsole(folder: string): Promise<void> {
  const sources = new Map([
    ['console.js', await script()],
    ['console.css', styles(readFileSync(join(home, 'src/console.css'), 'utf8'))],
    ['icon.svg', readFileSync(join(home, 'src/icon.svg'), 'utf8')],
  ]);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let page = readFileSync(join(home, 'src/index.html'), 'utf8');
  const files = [...sources].map(([name, text]) => {
    const hashed = `${name.split('.')[0]}-${digest(text)}${extname(name)}`;
    page = page.replace(`console/${name}`, `console/${hashed}`);
    return written(folder, hashed, text);
  });
  const listed = { page: written(folder, 'index.html', page), files };
  writeFileSync(join(folder, 'assets.json'), `${JSON.stringify(listed, null, 2)}\n`);
  const preact = (file: string) =>
    readFileSync(join(home, '../../node_modules/preact', file), 'utf8');
  const { name, version, license } = JSON.parse(preact('package.json'));
  const text = `# ${name} ${version} (${license})\n\n${preact('LICENSE')}`;
  writeFileSync(join(folder, 'LICENSES.txt'), text);
}

/** The program as one file. */
async function script(): Promise<string> {
  const bundle = await rolldown({
    input: join(home, 'src/main.tsx'),
    platform: 'browser',
    resolve: { alias: SOURCES },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/** A style sheet without comments and indentation. */
const styles = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trimStart();

/** Writes a file, and beside it what is sent to clients that accept a compressed one. */
function written(folder: string, name: string, text: string) {
  const bytes = Buffer.from(text);
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
  return { name, type: TYPES[extname(name)], digest: digest(text) };
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 12);

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole(join(home, 'assets'));
