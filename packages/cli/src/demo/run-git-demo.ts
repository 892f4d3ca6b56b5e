import { basename, resolve } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { formatKey } from '@lakehouse-search/engine';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { bytes, count, duration, plural } from '../terminal/figures.ts';
import { gitHistory } from './git-history.ts';
import {
  DEMO_PROPERTIES,
  type DemoNames,
  demoFolder,
  demoNames,
  removeEarlierDemo,
} from './own-names.ts';
import type { Tell } from './run-demo.ts';

const QUESTIONS = ['fix', 'subject:(test OR tests) AND merge:false', 'body:*'] as const;

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'sha', required: true, type: { kind: 'string' } },
    { id: 2, name: 'author', required: false, type: { kind: 'string' } },
    { id: 3, name: 'authored_at', required: false, type: { kind: 'timestamp' } },
    { id: 4, name: 'subject', required: false, type: { kind: 'string' } },
    { id: 5, name: 'body', required: false, type: { kind: 'string' } },
    { id: 6, name: 'merge', required: false, type: { kind: 'boolean' } },
  ],
};

/** What the git demo found, for --json. */
export interface GitDemoReport {
  readonly index: string;
  readonly table: string;
  readonly warehouse: string;
  readonly repository: string;
  readonly rows: number;
  readonly questions: readonly { readonly query: string; readonly total: number }[];
}

/** The same with the history of a git repository: import, index, search. */
export async function runGitDemo(
  backend: BackendApi,
  dataDir: string,
  repository: string,
  tell: Tell,
): Promise<GitDemoReport> {
  const names = demoNames(dataDir, 'history');
  const { index, table, warehouse } = names;
  const catalog = { type: 'filesystem' as const, warehouse };
  const rows = await gitHistory(repository);
  const aliases = await removeEarlierDemo(backend, names);
  await createTable(catalog, table, { schema: SCHEMA, properties: DEMO_PROPERTIES });
  await appendRows({ catalog, table }, { kind: 'rows', rows });
  tell(
    `1  a table     ${plural(rows.length, 'commit')} of ${basename(resolve(repository))} ` +
      `→ ${demoFolder(names)}`,
  );
  await backend.createIndex({ definition: definition(names), base_dir: dataDir });
  const built = await backend.reindex({ index });
  for (const alias of aliases) await backend.setAlias(alias);
  tell(`2  an index    ${bytes(built.bytes)} in ${duration(built.took_ms)}`);
  tell('3  questions');
  const questions = [];
  for (const query of QUESTIONS) {
    const answer = await backend.search({ index, query, limit: 1 });
    const [hit] = answer.hits;
    tell(`   lhs search ${index} '${query}'`);
    const first =
      hit === undefined
        ? ''
        : `; first: ${formatKey(hit.coordinates).slice(0, 16)} ` +
          `“${String(hit.fields?.subject ?? '')}”`;
    tell(`     ${plural(answer.total, 'hit')}, ${duration(answer.took_ms)}${first}`);
    questions.push({ query, total: answer.total });
  }
  tell(
    `next: lhs search ${index} 'your words' --sort authored_at:desc ` +
      `(${count(rows.length)} commits are there)`,
  );
  return { ...names, repository: resolve(repository), rows: rows.length, questions };
}

function definition({ index, table, warehouse }: DemoNames): string {
  return `version: 1
index: ${index}
source:
  catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }
  table: ${table}
key: { identifier: [sha] }
fields:
  - { name: message, type: TEXT, source: [subject, body], analyzer: english }
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: body, type: TEXT, analyzer: english }
  - { name: author, type: KEYWORD, fast: true, cached: true }
  - { name: authored_at, type: DATE, cached: true }
  - { name: merge, type: BOOL }
`;
}
