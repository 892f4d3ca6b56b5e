/**
 * Rows of a table in DuckDB as sets of tokens: `tokens(term, doc, position)` in the order of terms,
 * `terms(id, field, term)` and `docs(doc, repo, words, is_revert)`. The tokens are our analyzer's;
 * the sets, and all counting, are DuckDB's.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openTable, valueAt } from '@lakehouse-search/lake';
import { simpleAnalyzer } from '../../../src/analysis/simple.ts';

/** The analysed fields. */
export const TEXTS = ['subject', 'author'] as const;
const COLUMNS = [...TEXTS, 'repo', 'words', 'is_revert'];

/** A table of tokens, and what queries can be made of. */
export interface TokenTable {
  readonly connection: DuckDBConnection;
  readonly docs: number;
  /** All terms of a field, by number. */
  readonly terms: Readonly<Record<(typeof TEXTS)[number], readonly string[]>>;
  /** Some texts' tokens, as they follow each other: words at the frequency that they have. */
  readonly samples: Readonly<Record<(typeof TEXTS)[number], readonly (readonly string[])[]>>;
}

/** Tokens of a text in order. */
function analysed(text: string): string[] {
  const bytes = Buffer.from(text);
  const found: string[] = [];
  simpleAnalyzer.analyze(bytes, 0, bytes.length, 0, {
    token(source, from, to, position) {
      found[position] = Buffer.from(source.subarray(from, to)).toString();
    },
  });
  return found;
}

/**
 * Reads a snapshot of the table at `path` into DuckDB. Docs are numbers in the order of the scan.
 */
export async function tokenTable(path: string, snapshotId: bigint): Promise<TokenTable> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run('create table raw (term integer, doc integer, position integer)');
  await connection.run('create table terms (id integer, field varchar, term varchar)');
  await connection.run(
    'create table docs (doc integer, repo varchar, words bigint, is_revert boolean)',
  );
  const tokens = await connection.createAppender('raw');
  const rows = await connection.createAppender('docs');
  const ids = { subject: new Map<string, number>(), author: new Map<string, number>() };
  const samples = { subject: [] as string[][], author: [] as string[][] };
  let docs = 0;
  let terms = 0;
  const table = await openTable({ path });
  for await (const batch of table.scan({ snapshotId, columns: COLUMNS })) {
    const value = (column: number, row: number) => valueAt(batch.columns[column]!, row);
    for (let row = 0; row < batch.rows; row++, docs++) {
      TEXTS.forEach((field, f) => {
        const text = value(f, row);
        const words = text === null ? [] : analysed(String(text));
        if (docs % 97 === 0) samples[field].push(words);
        words.forEach((word, position) => {
          const id = ids[field].get(word) ?? terms++;
          ids[field].set(word, id);
          tokens.appendInteger(id);
          tokens.appendInteger(docs);
          tokens.appendInteger(position);
          tokens.endRow();
        });
      });
      rows.appendInteger(docs);
      const [repo, words, revert] = [2, 3, 4].map((column) => value(column, row));
      if (repo === null) rows.appendNull();
      else rows.appendVarchar(String(repo));
      if (words === null) rows.appendNull();
      else rows.appendBigInt(BigInt(words as number));
      if (revert === null) rows.appendNull();
      else rows.appendBoolean(revert as boolean);
      rows.endRow();
    }
  }
  await table.close();
  tokens.closeSync();
  rows.closeSync();
  await appendTerms(connection, ids);
  await connection.run('create table tokens as select * from raw order by term, doc, position');
  await connection.run('drop table raw');
  const lists = { subject: [...ids.subject.keys()], author: [...ids.author.keys()] };
  return { connection, docs, terms: lists, samples };
}

async function appendTerms(
  connection: DuckDBConnection,
  ids: Readonly<Record<string, ReadonlyMap<string, number>>>,
): Promise<void> {
  const out = await connection.createAppender('terms');
  for (const [field, terms] of Object.entries(ids)) {
    for (const [term, id] of terms) {
      out.appendInteger(id);
      out.appendVarchar(field);
      out.appendVarchar(term);
      out.endRow();
    }
  }
  out.closeSync();
}
