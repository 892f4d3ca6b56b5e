/** UUID text (8-4-4-4-12, lower case) of 16 big-endian bytes. */
export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, i) => hex.slice(cuts[i], end))
    .join('-');
}

/** The 16 bytes of UUID text, or null if it is not one. */
export function uuidToBytes(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return null;
  return new Uint8Array(Buffer.from(text.replaceAll('-', ''), 'hex'));
}
