import {
  NodeStateSchema,
  ReadReplySchema,
  ReadRequestSchema,
  RemoveIndexReplySchema,
  RemoveIndexRequestSchema,
  StateRequestSchema,
} from '../generated/lhs/node/v1/node_pb.ts';

/** The internal service of nodes. */
export const NODE_SERVICE = 'lhs.node.v1.Node';

const path = (name: string): string => `/${NODE_SERVICE}/${name}`;

/** The methods of the internal service of nodes: their paths and messages. */
export const NODE_METHODS = Object.freeze({
  state: { path: path('GetState'), input: StateRequestSchema, output: NodeStateSchema },
  read: { path: path('Read'), input: ReadRequestSchema, output: ReadReplySchema },
  removeIndex: {
    path: path('RemoveIndex'),
    input: RemoveIndexRequestSchema,
    output: RemoveIndexReplySchema,
  },
});
