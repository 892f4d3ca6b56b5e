import { create } from '@bufbuild/protobuf';
import { NODE_METHODS, type NodeState as StateMessage } from '@lakehouse-search/client/internal';
import { LhsError } from '@lakehouse-search/contract';
import type { NodeCommit, NodeIndex, NodeState } from './node-state.ts';

/**
 * Number of the byte form of reads. A change of what a request or an answer means increases it:
 * gateways read from nodes with the same number.
 */
export const PROTOCOL = 1;

/** Throws unreachable for a node or a gateway with another byte form: others may have this one. */
export function requireProtocol(protocol: number, whose: string): void {
  if (protocol === PROTOCOL) return;
  const message = `${whose} has version ${protocol} of the node protocol, not ${PROTOCOL}`;
  throw new LhsError('unreachable', message, {
    hint: 'run the same version of lhs on all gateways and nodes',
  });
}

/** A state as a message. */
export function messageOfState(state: NodeState): StateMessage {
  return create(NODE_METHODS.state.output, {
    node: state.node,
    takes: [...state.takes],
    indexes: state.indexes.map(messageOfIndex),
    followed: state.followed.map(messageOfIndex),
  });
}

const messageOfIndex = ({
  definition_version,
  ordinals,
  aliases,
  commits,
  ...index
}: NodeIndex) => ({
  ...{ index: index.index, uuid: index.uuid, shards: index.shards, copies: index.copies },
  definitionVersion: definition_version,
  ordinals: [...ordinals],
  aliases: [...aliases],
  commits: commits.map(({ snapshot, sizes, docs, bytes, age_ms, ...commit }) => ({
    ...{ ...commit, docs: BigInt(docs), bytes: BigInt(bytes), ageMs: BigInt(age_ms) },
    sizes: sizes.map((one) => ({ ...one, docs: BigInt(one.docs), bytes: BigInt(one.bytes) })),
    ...(snapshot === null ? {} : { snapshot }),
  })),
});

/** The state of a message. */
export function stateOfMessage(message: StateMessage): NodeState {
  return {
    node: message.node,
    takes: message.takes,
    indexes: message.indexes.map(indexOfMessage),
    followed: message.followed.map(indexOfMessage),
  };
}

function indexOfMessage(message: StateMessage['indexes'][number]): NodeIndex {
  const { index, uuid, shards, ordinals, definitionVersion, aliases, copies } = message;
  return {
    ...{ index, uuid, shards, ordinals, aliases, copies },
    definition_version: definitionVersion,
    commits: message.commits.map((one): NodeCommit => {
      const { commit, snapshot = null, sequence, generation, docs, bytes, definition } = one;
      return {
        ...{ commit, snapshot, sequence, generation, definition, age_ms: Number(one.ageMs) },
        ...{ docs: Number(docs), bytes: Number(bytes) },
        sizes: one.sizes.map(({ shard, ...size }) => {
          return { shard, docs: Number(size.docs), bytes: Number(size.bytes) };
        }),
      };
    }),
  };
}
