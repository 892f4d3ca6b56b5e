import { resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';

/** What Node puts in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Throws invalid_argument for a data folder whose name is not UTF-8: the decoded name
 * would point to another folder.
 */
export function requireUtf8Name(dataDir: string): void {
  const folder = resolve(dataDir);
  if (!folder.includes(REPLACEMENT)) return;
  const message = `the name of data folder "${folder}" is not UTF-8`;
  throw new LhsError('invalid_argument', message, {
    hint: 'rename the folder, or choose another data folder',
    next: [{ step: 'choose_data_folder' }],
  });
}
