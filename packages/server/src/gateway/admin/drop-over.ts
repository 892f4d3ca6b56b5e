import {
  type CallContext,
  type DropIndexRequest,
  type DropResponse,
  LhsError,
} from '@lakehouse-search/contract';
import { mergeAnswers } from '../../cluster/merge-answers.ts';
import type { AdminNodes } from './admin-nodes.ts';

/**
 * Drops an index on all of its nodes; one that has it no more counts as done. Throws unreachable,
 * without a change, if a node does not answer; the error of the first node that fails, with the
 * names of all of them: the same request then drops what is left.
 */
export async function dropOver(
  nodes: AdminNodes,
  request: DropIndexRequest,
  call: CallContext,
): Promise<DropResponse> {
  const owners = await nodes.owners(request.index, call);
  nodes.requireUp(owners);
  const drops = owners.map(async ({ address }) => nodes.at(address).dropIndex(request, call));
  const results = await Promise.allSettled(drops);
  await nodes.routing.refresh();
  const dropped = results.flatMap((one, i) =>
    one.status === 'fulfilled' ? [{ ordinals: owners[i].ordinals, answer: one.value }] : [],
  );
  const errors = results.map((one) => (one.status === 'rejected' ? (one.reason as unknown) : null));
  const failed = owners.filter((_, i) => errors[i] !== null && !isUnknown(errors[i]));
  if (dropped.length > 0 && failed.length === 0) return mergeAnswers('dropIndex', dropped);
  const error = errors[Math.max(0, owners.indexOf(failed[0]))];
  throw dropped.length === 0 ? error : notEverywhere(error, owners[0].name, failed);
}

const isUnknown = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'index_not_found';

/** The error of a drop that some nodes have made, with the names of those that have not. */
function notEverywhere(
  error: unknown,
  index: string,
  failed: readonly { readonly address: string }[],
): unknown {
  if (!(error instanceof LhsError)) return error;
  const nodes = failed.map(({ address }) => address);
  const message = `not dropped on ${nodes.join(', ')}: ${error.message}`;
  return new LhsError(error.code, message, {
    hint: 'drop it again: what other nodes had is gone',
    ...{ next: [{ step: 'drop_index', index }], cause: error },
    details: { ...error.details, nodes },
  });
}
