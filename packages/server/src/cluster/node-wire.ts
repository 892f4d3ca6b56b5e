import { create } from '@bufbuild/protobuf';
import { NODE_METHODS, type NodeState as StateMessage } from '@lakehouse-search/client/internal';
import type { NodeCommit, NodeIndex, NodeState } from './node-state.ts';

/** A state as a message. */
export function messageOfState(state: NodeState): StateMessage {
  return create(NODE_METHODS.state.output, {
    node: state.node,
    freeBytes: BigInt(state.free_bytes),
    takes: [...state.takes],
    indexes: state.indexes.map((index) => ({
      index: index.index,
      uuid: index.uuid,
      shards: index.shards,
      ordinals: [...index.ordinals],
      definitionVersion: index.definition_version,
      epoch: BigInt(index.epoch),
      aliases: [...index.aliases],
      commits: index.commits.map(({ snapshot, docs, bytes, sizes, ...commit }) => ({
        ...commit,
        sizes: sizes.map((size) => ({
          shard: size.shard,
          docs: BigInt(size.docs),
          bytes: BigInt(size.bytes),
        })),
        docs: BigInt(docs),
        bytes: BigInt(bytes),
        ...(snapshot === null ? {} : { snapshot }),
      })),
    })),
  });
}

/** The state of a message. */
export function stateOfMessage(message: StateMessage): NodeState {
  return {
    node: message.node,
    free_bytes: Number(message.freeBytes),
    takes: message.takes,
    indexes: message.indexes.map((index): NodeIndex => {
      const { uuid, shards, ordinals, definitionVersion, epoch, aliases } = index;
      return {
        ...{ index: index.index, uuid, shards, ordinals, aliases },
        definition_version: definitionVersion,
        epoch: Number(epoch),
        commits: index.commits.map((commit): NodeCommit => {
          const { snapshot = null, sequence, generation, docs, bytes, sizes, definition } = commit;
          return {
            ...{ commit: commit.commit, snapshot, sequence, generation, definition },
            docs: Number(docs),
            bytes: Number(bytes),
            sizes: sizes.map((size) => ({
              shard: size.shard,
              docs: Number(size.docs),
              bytes: Number(size.bytes),
            })),
          };
        }),
      };
    }),
  };
}
