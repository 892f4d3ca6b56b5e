import { LhsError } from '@lakehouse-search/contract';

const FILE_NAME = /^[a-z0-9][a-z0-9._-]*$/;

/**
 * Gives `name` back when it is safe as a file name of a Directory; throws invalid_argument when
 * it is not.
 */
export function checkFileName(name: string): string {
  if (name.length <= 200 && FILE_NAME.test(name)) return name;
  throw new LhsError(
    'invalid_argument',
    `"${name.slice(0, 220)}" is not a file name of an index: expected a-z, 0-9, ".", ` +
      '"_", "-", at most 200 characters',
  );
}
