import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The first 16 hexadecimal digits of the SHA-256 of a public key. */
export function keyId(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

/** A signature as a manifest has it in its first line. */
export interface LineSignature {
  readonly key_id: string;
  /** Ed25519, base64. */
  readonly signature: string;
}

/** Signs a line. `format`: a line of another format has another signature. */
export function signLine(format: string, line: string, key: KeyObject): LineSignature {
  const signature = sign(null, signedBytes(format, line), key).toString('base64');
  return { key_id: keyId(key), signature };
}

/** Whether a key has signed a line; null: another key has, or none. */
export function isSignedBy(
  key: KeyObject,
  format: string,
  line: string,
  { key_id, signature }: { readonly key_id?: unknown; readonly signature?: unknown },
): boolean | null {
  if (key_id !== keyId(key)) return null;
  const bytes = Buffer.from(typeof signature === 'string' ? signature : '', 'base64');
  return verify(null, signedBytes(format, line), createPublicKey(key), bytes);
}

const signedBytes = (format: string, line: string): Buffer => Buffer.from(`${format}\n${line}`);
