// @module-tag campaign
// @module-tag program
/**
 * The commit history of ../shared, imported as a table and indexed, against the exact counts and
 * the exhaustive top 20 of 300 queries that a brute force over the same tokens gave
 * (../shared/peers/reference.py), as OR, AND and phrase.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { SearchRequest } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { importFiles, openTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';

const shared = fileURLToPath(new URL('../../../../../shared/', import.meta.url));
const commits = join(shared, 'data/commits.parquet');
const reference = join(shared, 'peers/reference.json.gz');

type Kind = 'or' | 'and' | 'phrase';
interface Answer {
  readonly count: number;
  /** Row number in the file and score, best first. */
  readonly exact: readonly (readonly [number, number])[];
}
type ReferenceQuery = { readonly terms: readonly string[] } & Readonly<Record<Kind, Answer>>;

const folder = mkdtempSync(join(tmpdir(), 'lhs-reference-'));
let backend: LocalEngine;
/** Row numbers in the file by key. */
const rows = new Map<string, number>();

const definition = (warehouse: string): string => `version: 1
index: commits
source:
  catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }
  table: git.commits
key: { identifier: [repo, sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
`;

async function readKeys(warehouse: string): Promise<void> {
  const catalog = { type: 'filesystem', warehouse } as const;
  const table = await openTable({ catalog, table: 'git.commits' });
  const decoder = new TextDecoder();
  for await (const batch of table.scan({ columns: ['repo', 'sha'] })) {
    const [repo, sha] = batch.columns;
    if (repo?.kind !== 'utf8' || sha?.kind !== 'utf8') throw new TypeError('keys are texts');
    const text = (column: typeof repo, i: number) =>
      decoder.decode(column.bytes.subarray(column.offsets[i], column.offsets[i + 1]));
    for (let i = 0; i < batch.rows; i++) rows.set(`${text(repo, i)} ${text(sha, i)}`, rows.size);
  }
  await table.close();
}

const tree = (kind: Kind, value: string): SearchRequest['ast'] =>
  kind === 'phrase'
    ? { phrase: { field: 'text', value } }
    : { match: { field: 'text', value, operator: kind } };

/** Scores to 1e-6; ids equal up to equal scores. */
async function compare(query: ReferenceQuery, kind: Kind): Promise<string | null> {
  const { count, exact } = query[kind];
  const ast = tree(kind, query.terms.join(' '));
  const { hits, total } = await backend.search({ index: 'commits', ast, limit: 20 });
  const name = `${kind} ${query.terms.join(' ')}`;
  if (total !== count) return `${name}: ${total} documents, expected ${count}`;
  if (hits.length !== exact.length) return `${name}: ${hits.length} hits`;
  for (const [i, [id, score]] of exact.entries()) {
    const hit = hits[i]!;
    const equal = (other: number) => Math.abs(other - score) <= 1e-6 * score;
    if (!equal(hit.score)) return `${name}: hit ${i} scores ${hit.score}, expected ${score}`;
    const key = hit.coordinates.identifier.map((part) => part.value).join(' ');
    const tied = exact.filter((one) => equal(one[1]));
    const cut = equal(exact.at(-1)![1]);
    if (rows.get(key) !== id && !cut && !tied.some((one) => one[0] === rows.get(key))) {
      return `${name}: hit ${i} is row ${rows.get(key)}, expected ${id}`;
    }
  }
  return null;
}

const isAbsent = !existsSync(commits) || !existsSync(reference);
// imports and indexes 440,000 commits
describe.skipIf(isAbsent || byEffort(true, false))('the reference answers', () => {
  beforeAll(async () => {
    const warehouse = join(folder, 'lake');
    const catalog = { type: 'filesystem', warehouse } as const;
    await importFiles({ catalog, table: 'git.commits', files: [commits], key: ['repo', 'sha'] });
    backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    await backend.createIndex({ definition: definition(warehouse) });
    await backend.reindex({ index: 'commits' });
    await readKeys(warehouse);
  });
  afterAll(async () => {
    await backend?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are reproduced for all 300 queries as OR, AND and phrase', async () => {
    const text = gunzipSync(readFileSync(reference)).toString();
    const { queries } = JSON.parse(text) as { queries: readonly ReferenceQuery[] };
    expect(queries).toHaveLength(300);
    const wrong: string[] = [];
    for (const query of queries) {
      for (const kind of ['or', 'and', 'phrase'] as const) {
        const fault = await compare(query, kind);
        if (fault !== null) wrong.push(fault);
      }
    }
    expect(wrong).toEqual([]);
  });
});
