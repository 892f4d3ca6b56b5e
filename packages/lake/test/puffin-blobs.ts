/** A blob as the footer of a Puffin file describes it. */
export interface PuffinBlob {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly properties: Readonly<Record<string, string>>;
}

/** The blobs that the footer of a Puffin file lists. */
export function puffinBlobs(file: Uint8Array): readonly PuffinBlob[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const end = bytes.length - 12;
  const { blobs } = JSON.parse(bytes.toString('utf8', end - bytes.readUInt32LE(end), end));
  return blobs;
}
