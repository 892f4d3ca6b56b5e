/**
 * Writes the command as one executable file for this system: node scripts/release/executable.ts
 * FILE, with a Node that has `--build-sea`. The file contains this Node and the program, which is
 * unpacked into the cache folder when it first runs (executable-main.mjs).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { copyProgram } from './program.ts';

/** Prebuilt libraries of SQLite for other systems. */
const isForeign = (path: string): boolean =>
  path.startsWith('bundle/vendor/prebuilds/') &&
  !new RegExp(`/${process.platform}(musl)?-${process.arch}\\.node$`).test(path);

/** All files of a folder: their paths and sizes as JSON in one line, then their bytes. */
function archiveOf(folder: string): Buffer {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !isForeign(path));
  const files = paths.map((path) => readFileSync(join(folder, path)));
  const list = paths.map((path, i) => [path, files[i].length]);
  return zstdCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...files]));
}

const work = mkdtempSync(join(tmpdir(), 'lhs-executable-'));
try {
  copyProgram(join(work, 'program'));
  const archive = archiveOf(join(work, 'program'));
  const digest = createHash('sha256').update(archive).digest('hex').slice(0, 16);
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(work, name), content);
    return join(work, name);
  };
  const config = {
    main: fileURLToPath(new URL('executable-main.mjs', import.meta.url)),
    mainFormat: 'module',
    output: resolve(process.argv[2]),
    disableExperimentalSEAWarning: true,
    assets: { program: file('program.zst', archive), digest: file('digest', digest) },
  };
  execFileSync(process.execPath, ['--build-sea', file('sea.json', JSON.stringify(config))]);
} finally {
  rmSync(work, { recursive: true, force: true });
}
