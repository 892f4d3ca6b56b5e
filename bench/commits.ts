/**
 * Makes the index that bench/startup.ts and bench/hydrate.ts ask: git.commits of the shared folder,
 * in LHS_BENCH_DIR/lhs-data.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { need, SHARED, WORK } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const data = join(WORK, 'lhs-data');

if (!existsSync(join(data, 'registry.db'))) {
  mkdirSync(data, { recursive: true });
  writeFileSync(
    join(data, 'commits.yaml'),
    `version: 1
index: commits
source: { path: ${table} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: repo, type: KEYWORD, fast: true, cached: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE, cached: true }
  - { name: words, type: LONG }
`,
  );
  for (const args of [
    ['create', '-f', join(data, 'commits.yaml')],
    ['reindex', 'commits'],
  ]) {
    execFileSync(process.execPath, [LHS, 'index', ...args, '--data-dir', data], {
      stdio: 'inherit',
    });
  }
}
console.log(`index "commits" is in ${data}`);
