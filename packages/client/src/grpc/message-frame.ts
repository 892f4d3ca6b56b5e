/** Bytes before a message of gRPC: a flag (1: it is compressed) and its length in four bytes. */
export const FRAME_HEAD_BYTES = 5;

/** A message as the body of a unary request or response. */
export function messageFrame(message: Uint8Array): Buffer {
  const body = Buffer.allocUnsafe(FRAME_HEAD_BYTES + message.length);
  body[0] = 0;
  body.writeUInt32BE(message.length, 1);
  body.set(message, FRAME_HEAD_BYTES);
  return body;
}

/** The message of a body that is one whole frame, compressed or not; undefined: it is none. */
export function framedMessage(body: Buffer): Buffer | undefined {
  const isWhole =
    body.length >= FRAME_HEAD_BYTES && body.readUInt32BE(1) === body.length - FRAME_HEAD_BYTES;
  return isWhole ? body.subarray(FRAME_HEAD_BYTES) : undefined;
}
