import type { CallContext, IndexRequest, IndexStatus } from '@lakehouse-search/contract';
import { mergeAnswers } from '../../cluster/merge-answers.ts';
import type { AdminNodes } from './admin-nodes.ts';

/** Time of a node for its status. */
const STATUS_MS = 5000;

/** A node that holds shards of an index. */
interface Owner {
  readonly address: string;
  readonly ordinals: readonly number[];
}

/**
 * The status of an index by the nodes that answer in time; shards that only others hold are
 * named in `missing_shards`. Throws the error of a node if none answers.
 */
export async function statusOver(
  nodes: AdminNodes,
  owners: readonly Owner[],
  request: IndexRequest,
  call: CallContext,
): Promise<IndexStatus> {
  const { deadline = Number.POSITIVE_INFINITY } = call;
  const own = { ...call, deadline: Math.min(deadline, Date.now() + STATUS_MS) };
  const results = await Promise.allSettled(
    owners.map(({ address }) => nodes.read(address, 'status', request, own)),
  );
  const answers = owners.flatMap(({ ordinals }, i) => {
    const result = results[i];
    return result.status === 'fulfilled' ? [{ ordinals, answer: result.value }] : [];
  });
  if (answers.length === 0) throw (results[0] as PromiseRejectedResult).reason;
  const status = mergeAnswers('status', answers);
  const there = new Set(answers.flatMap(({ ordinals }) => ordinals));
  const away = owners.flatMap(({ ordinals }) => ordinals).filter((shard) => !there.has(shard));
  if (away.length === 0) return status;
  const missing = new Set([...(status.missing_shards ?? []), ...away]);
  return { ...status, missing_shards: [...missing].sort((a, b) => a - b) };
}
