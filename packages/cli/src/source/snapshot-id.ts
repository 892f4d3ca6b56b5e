import { LhsError } from '@lakehouse-search/contract';

/** A snapshot id as people write it. Throws invalid_argument. */
export function snapshotId(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw new LhsError('invalid_argument', `"${text}" is not a snapshot id`, {
    hint: 'lhs source snapshots lists them',
  });
}
