import type { SearchContext } from '../context.ts';

/** Whether the table has a row of a key now. */
export type TableAnswer =
  | { readonly state: 'present' | 'absent' }
  | { readonly state: 'unreachable'; readonly message: string };

/** Asks the table for the row of a key (the canonical texts of its columns). Throws nothing. */
export async function askTable(
  context: SearchContext,
  texts: readonly string[],
): Promise<TableAnswer> {
  try {
    const { readRows } = await import('../rows.ts');
    const table = await context.openTable();
    const cost = { bytes: 0, requests: 0 };
    const [row] = await readRows(table, context.mapping, [{ texts, locator: null }], [], cost);
    return { state: row === null || row === undefined ? 'absent' : 'present' };
  } catch (error) {
    return {
      state: 'unreachable',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}
