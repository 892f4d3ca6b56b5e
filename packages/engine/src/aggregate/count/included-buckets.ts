import { lowerBoundBy } from '../../base/arrays/lower-bound.ts';
import type { BucketKey } from '../bucket-key.ts';
import type { Choice, MissingCount, PartCode, PartCounts } from './choose-buckets.ts';
import type { FieldValues } from './coder.ts';

/** The buckets of some keys that have documents, however many other keys there are. */
export function includedBuckets(
  parts: readonly PartCounts[],
  missing: MissingCount | null,
  keys: Iterable<BucketKey>,
): Choice {
  const chosen = Array.from(keys, (key) => {
    const codes: PartCode[] = [];
    let count = missing?.key === key ? missing.count : 0;
    if (count > 0) codes.push(...missing!.parts.map((part) => ({ part, code: null })));
    for (const { part, values, counts } of parts) {
      const code = codeOf(values, key);
      const at = counts.codes === null ? Number(code) : indexOfCode(counts.codes, code);
      const documents = counts.counts[at] ?? 0;
      count += documents;
      if (documents > 0) codes.push({ part, code });
    }
    return { key, count, codes };
  });
  return { chosen: chosen.filter(({ count }) => count > 0), left: 0 };
}

/** The code of a key in one segment, whose codes rise with keys; -1: it has none. */
function codeOf({ coder }: FieldValues, key: BucketKey): number | bigint {
  if (coder === null) return key as bigint;
  const code = lowerBoundBy(0, coder.size, (at) => coder.key(at) >= key);
  return code < coder.size && coder.key(code) === key ? code : -1;
}

function indexOfCode(codes: NonNullable<PartCounts['counts']['codes']>, code: number | bigint) {
  const at = lowerBoundBy(0, codes.length, (i) => codes[i] >= code);
  return codes[at] === code ? at : -1;
}
