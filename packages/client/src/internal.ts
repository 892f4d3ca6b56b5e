/** What only our own packages use: the messages of the wire, and channels. No release keeps it. */
export type * from './generated/lhs/node/v1/control_plane_pb.ts';
export type * from './generated/lhs/node/v1/node_pb.ts';
export { CHANNEL_OPTIONS } from './grpc/channel-options.ts';
export { FRAME_HEAD_BYTES, framedMessage, messageFrame } from './grpc/message-frame.ts';
export { errorOfStream } from './grpc/status-error.ts';
export { openChannel, type UnaryChannel } from './grpc/unary-channel.ts';
export { CONTROL_PLANE_METHODS, CONTROL_PLANE_SERVICE } from './wire/control-plane-methods.ts';
export { decodeMessage } from './wire/decode.ts';
export { encodeMessage } from './wire/encode.ts';
export { type ErrorJson, encodeError, errorOf } from './wire/error-detail.ts';
export { docOf, type FieldPlan, fieldsOf } from './wire/field-plan.ts';
export { METHODS, serializedFiles, type WireMethod } from './wire/methods.ts';
export { NODE_METHODS, NODE_SERVICE } from './wire/node-methods.ts';
