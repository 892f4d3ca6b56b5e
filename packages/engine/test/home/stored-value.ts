/** The value of an object of a store, without its checksum: so older versions wrote it. */
export function storedValue<T>(bytes: Uint8Array | string): T {
  const { crc: _, ...value } = JSON.parse(bytes.toString());
  return value;
}
