import { type Batch, openTable, valueAt, valueToJson } from '@lakehouse-search/lake';

/** A row of git.commits as the lake's writer takes it. */
export type CommitRow = Record<string, unknown>;

/** Rows of a table with git.commits' columns, in its order, at most `most`. */
export async function* commitRows(
  path: string,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<CommitRow> {
  const table = await openTable({ path });
  let given = 0;
  try {
    const { fields } = table.schema;
    const rowOf = (batch: Batch, row: number) =>
      Object.fromEntries(
        fields.map(({ name, type }, i) => [
          name,
          valueToJson(type, valueAt(batch.columns[i], row)),
        ]),
      );
    for await (const batch of table.scan()) {
      for (let row = 0; row < batch.rows; row++) {
        if (given++ >= most) return;
        yield rowOf(batch, row);
      }
    }
  } finally {
    await table.close();
  }
}

/** Rows collected from `commitRows`. */
export async function takeRows(path: string, most: number): Promise<CommitRow[]> {
  const rows: CommitRow[] = [];
  for await (const row of commitRows(path, most)) rows.push(row);
  return rows;
}

/** `rows` under keys that no other round has; `word` stands in every subject. */
export function renewed(rows: readonly CommitRow[], round: number, word: string): CommitRow[] {
  return rows.map((row, i) => ({
    ...row,
    sha: String(round).padStart(8, '0') + String(i).padStart(32, '0'),
    subject: `${row.subject} ${word}`,
  }));
}
