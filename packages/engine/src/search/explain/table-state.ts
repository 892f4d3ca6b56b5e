import type { SearchContext } from '../context.ts';

/** Whether the table has a row of a key now. */
export type TableAnswer =
  | { readonly state: 'present' | 'absent' }
  | { readonly state: 'unreachable'; readonly message: string };

/**
 * Asks the table for the row of a key (the canonical texts of its columns), as far as the caller's
 * tenant may see it. Throws nothing.
 */
export async function askTable(
  context: SearchContext,
  texts: readonly string[],
): Promise<TableAnswer> {
  try {
    const cost = { bytes: 0, requests: 0 };
    const { rows } = await context.readRows([{ texts, locator: null }], 'none', cost);
    const [row] = rows;
    return { state: row === null || row === undefined ? 'absent' : 'present' };
  } catch (error) {
    return {
      state: 'unreachable',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}
