import { openTable, valueAt, valueToJson } from '@lakehouse-search/lake';
import { tablePath, truthOf } from '../../../../test/support/shared-tables.ts';
import { groups } from './incident-questions.ts';
import type { Question } from './planner.ts';

/** The commits of the table's first snapshot. */
interface Commit {
  readonly repo: string;
  readonly sha: string;
  readonly author: string;
  readonly authored_at: string;
  readonly words: number;
  readonly is_revert: boolean;
}

const COLUMNS = ['repo', 'sha', 'author', 'authored_at', 'words', 'is_revert'] as const;

/** The index over these columns. */
export const COMMITS_DEFINITION = `version: 1
index: commits
description: commits of repositories with their authors
source: { path: ${JSON.stringify(tablePath('git.commits'))} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: repo, type: KEYWORD, fast: true, cached: true }
  - { name: sha, type: KEYWORD }
  - { name: author, type: KEYWORD, fast: true, cached: true }
  - { name: authored_at, type: DATE, cached: true }
  - { name: words, type: LONG, description: words of the message }
  - { name: is_revert, type: BOOL }
`;

/** The snapshot that the questions are about: the first one, which the others add to. */
export const COMMITS_SNAPSHOT = (): string => truthOf('git.commits').snapshots[0].snapshot_id;

async function commits(): Promise<readonly Commit[]> {
  const table = await openTable({ path: tablePath('git.commits') });
  const types = COLUMNS.map((name) => table.schema.fields.find((f) => f.name === name)!.type);
  const rows: Commit[] = [];
  try {
    const snapshotId = BigInt(COMMITS_SNAPSHOT());
    for await (const batch of table.scan({ snapshotId, columns: [...COLUMNS] })) {
      for (let i = 0; i < batch.rows; i++) {
        const cells = COLUMNS.map((name, c): [string, unknown] => [
          name,
          valueToJson(types[c], valueAt(batch.columns[c], i)),
        ]);
        rows.push(Object.fromEntries(cells) as unknown as Commit);
      }
    }
  } finally {
    await table.close();
  }
  return rows;
}

const year = ({ authored_at }: Commit) => `${authored_at.slice(0, 4)}-01-01T00:00:00Z`;
const keyOf = ({ repo, sha }: Commit) => `repo=${repo},sha=${sha}`;

/** Questions about git.commits, with answers from its rows as plain objects. */
export async function commitQuestions(): Promise<readonly Question[]> {
  const all = await commits();
  const vim = all.filter(({ repo }) => repo === 'vim');
  const reverts = all.filter(({ is_revert }) => is_revert);
  const longest = all.toSorted((a, b) => Number(b.words) - Number(a.words));
  const newest = vim.toSorted((a, b) => (a.authored_at < b.authored_at ? 1 : -1));
  const in2020 = all.filter(({ authored_at }) => authored_at.startsWith('2020'));
  const authors = groups(all, ({ author }) => author);
  const sum = all.reduce((total, { words }) => total + Number(words), 0);
  const about = 'commits';
  return [
    { ask: 'How many commits?', goal: { kind: 'count', where: '*:*' }, answer: all.length },
    {
      ask: 'How many commits has vim?',
      goal: { kind: 'count', where: 'repo:vim' },
      answer: vim.length,
    },
    {
      ask: 'How many commits revert another one?',
      goal: { kind: 'count', where: 'is_revert:true' },
      answer: reverts.length,
    },
    {
      ask: 'How many commits are of 2020?',
      goal: { kind: 'count', where: 'authored_at:2020' },
      answer: in2020.length,
    },
    {
      ask: 'How many commits have 500 words or more?',
      goal: { kind: 'count', where: 'words:>=500' },
      answer: all.filter(({ words }) => Number(words) >= 500).length,
    },
    {
      ask: 'Which three repositories have the most commits?',
      goal: { kind: 'groups', by: 'repo', size: 3 },
      answer: groups(all, ({ repo }) => repo).slice(0, 3),
    },
    {
      ask: 'Who wrote most commits?',
      goal: { kind: 'groups', by: 'author', size: 1 },
      answer: authors.slice(0, 1),
    },
    {
      ask: 'How many reverts were there per year?',
      goal: { kind: 'periods', by: 'authored_at', interval: 'year', where: 'is_revert:true' },
      answer: groups(reverts, year).sort(([a], [b]) => (a < b ? -1 : 1)),
    },
    {
      ask: 'How many words are in all messages?',
      goal: { kind: 'figure', figure: 'sum', of: 'words' },
      answer: sum,
    },
    {
      ask: 'How many authors are there?',
      goal: { kind: 'distinct', of: 'author' },
      answer: authors.length,
    },
    {
      ask: 'Which commit has the longest message?',
      goal: { kind: 'keys', where: '*:*', sort: 'words:desc', limit: 1 },
      answer: [keyOf(longest[0])],
    },
    {
      ask: 'Who wrote the newest commit of vim?',
      goal: { kind: 'cell', where: 'repo:vim', sort: 'authored_at:desc', column: 'author' },
      answer: newest[0].author,
    },
  ].map((question) => ({ about, ...question }) as Question);
}
