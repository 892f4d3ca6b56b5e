/**
 * Makes the index that bench/meaning.ts asks: git.commits of the shared folder with its subjects
 * embedded, in LHS_BENCH_DIR/meaning.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { need, SHARED, WORK } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));

/** The data folder, with an index `subjects` in it. */
export function subjectsIndex(): string {
  const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const data = join(WORK, 'meaning');
  if (existsSync(join(data, 'registry.db'))) return data;
  mkdirSync(data, { recursive: true });
  const file = join(data, 'subjects.yaml');
  writeFileSync(
    file,
    `version: 1
index: subjects
source: { path: ${table} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: repo, type: KEYWORD, fast: true, cached: true }
  - { name: authored_at, type: DATE }
  - { name: meaning, type: VECTOR, source: subject }
`,
  );
  for (const args of [
    ['create', '-f', file],
    ['reindex', 'subjects'],
  ]) {
    execFileSync(process.execPath, [LHS, 'index', ...args, '--data-dir', data], {
      stdio: 'inherit',
    });
  }
  return data;
}
