/**
 * Writes reference/: a page for everything that programs import, from the doc comments. typedoc and
 * the compiler that it needs come from the cache of npx, as no other work of the repository uses
 * them. Run by `npm run reference`, after a build.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIBRARY_ENTRIES } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const TOOLS = ['typedoc@0.28.20', 'typescript@5.9.3'];

const files = LIBRARY_ENTRIES.map(([, source]) =>
  source.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts'),
);
const folder = mkdtempSync(join(tmpdir(), 'reference-'));
try {
  const project = join(folder, 'tsconfig.json');
  const base = { extends: join(root, 'tsconfig.base.json'), files };
  const typeRoots = [join(root, 'node_modules/@types')];
  const compilerOptions = { composite: false, incremental: false, typeRoots };
  writeFileSync(project, JSON.stringify({ ...base, compilerOptions }));
  const packages = TOOLS.flatMap((name) => ['--package', name]);
  const entries = files.flatMap((file) => ['--entryPoints', file]);
  const options = ['--tsconfig', project, '--out', join(root, 'reference'), '--name', 'lhs'];
  const args = ['--yes', ...packages, 'typedoc', ...options, '--readme', 'none', ...entries];
  const { status } = spawnSync('npx', args, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
