/** What responses say of shards that did not answer. */
interface PartsAnswered {
  readonly partial?: true;
  readonly failed_shards?: number;
  readonly shards_scanned?: number;
  readonly shards_total?: number;
  readonly failed_arms?: readonly unknown[];
}

/** The remark on a response whose counts and rows lack those of a shard; none if all answered. */
export function partialRemarks(answer: PartsAnswered): readonly string[] {
  const { failed_shards = 0, shards_scanned = 0, shards_total = shards_scanned } = answer;
  const isPartial = answer.partial === true && answer.failed_arms === undefined;
  return isPartial || failed_shards > 0 || shards_scanned < shards_total
    ? ['partial: a shard did not answer']
    : [];
}
