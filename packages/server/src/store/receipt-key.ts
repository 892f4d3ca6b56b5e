import { generateKeyPairSync } from 'node:crypto';
import { firstRow, type Statements } from './database.ts';

/**
 * The private key of receipts, Ed25519 in PEM (PKCS 8). It is made at its first use; of two
 * processes that make it at once, one key counts.
 */
export async function readReceiptKey(statements: Statements): Promise<string> {
  const sql = 'SELECT private_pem FROM receipt_key';
  const read = () => firstRow<{ readonly private_pem: string }>(statements, sql);
  const known = await read();
  if (known !== undefined) return known.private_pem;
  const pem = makeReceiptKey();
  await statements.run('INSERT INTO receipt_key VALUES (1, $1) ON CONFLICT DO NOTHING', [pem]);
  return (await read())!.private_pem;
}

/** A new private key. */
export const makeReceiptKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
