import { type AlterPlan, type CallContext, LhsError } from '@lakehouse-search/contract';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { withOnly } from '../../cluster/with-only.ts';
import type { ClusterJob } from '../../store/cluster-jobs.ts';
import { type ClusterContext, currentNodes, jobService } from '../cluster-context.ts';
import type { RunningJob } from './running-job.ts';

/** A part of an index on a node. */
export interface NodePart {
  readonly address: string;
  readonly index: string;
  readonly ordinals: readonly number[];
}

/** Puts a definition in force on a node, which holds these shards alone. */
export async function alterPart(
  context: ClusterContext,
  definition: string,
  { address, index, ordinals }: NodePart,
  call: CallContext = {},
): Promise<AlterPlan> {
  const service = await jobService(context, index, address);
  const definition_yaml = withOnly(definition, ordinals);
  return service.alterIndex({ index, definition_yaml, apply: true }, call);
}

/**
 * Puts the stored definition in force on all living nodes of an index again: a job that changed it
 * has failed, or its control plane has ended. A node that got the index by the job removes it.
 * Throws what a node throws, and unreachable if one with a lease does not answer.
 */
export async function putBack(
  context: ClusterContext,
  { index }: ClusterJob,
  change: RunningJob['change'],
): Promise<void> {
  const stored = await context.store.definitions.get(index);
  if (stored === undefined) return;
  const { shards = 1 } = registeredDefinition(stored.definition);
  const placed = await context.store.placements.list(index);
  for (const { node, address, indexes, isSilent } of await currentNodes(context)) {
    const own = indexes.find((each) => each.index === index);
    if (own === undefined) continue;
    if (isSilent) throw new LhsError('unreachable', `node "${node}" does not answer`);
    const given = placed.filter((each) => each.node === node).map(({ shard }) => shard);
    const ordinals = own.shards === shards ? own.ordinals : given;
    if (ordinals.length > 0) {
      await alterPart(context, stored.definition, { address, index, ordinals });
    } else {
      await change(({ dropped }) => dropped.add({ node, index, uuid: own.uuid }));
    }
  }
}
