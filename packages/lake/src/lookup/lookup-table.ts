import type { DeadRows } from '../scan/deletes.ts';
import type { ReadContext } from '../scan/read-context.ts';
import type { LookupFiles } from './lookup-files.ts';

/** What look-ups need of a table; all three live as long as the table object. */
export interface LookupTable {
  readonly context: ReadContext;
  readonly dead: DeadRows;
  readonly files: LookupFiles;
}
