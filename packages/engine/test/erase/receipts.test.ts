import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErasureReceipt, JsonObject } from '@lakehouse-search/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, signReceipt } from '../../src/erase/receipt.ts';
import { publicPem, RECEIPT_KEY_FILE, receiptKey } from '../../src/erase/receipt-key.ts';
import { keyId } from '../../src/home/signing-key.ts';
import { type EraseLake, KEY, openEraseLake, SECRET } from './erase-lake.ts';

let lake: EraseLake;
let receipt: ErasureReceipt;
beforeAll(async () => {
  lake = await openEraseLake(5);
  await lake.deleteAndSync();
  receipt = (await lake.backend.runErasure({ index: 't', keys: [KEY] })).receipt;
});
afterAll(async () => {
  lake.registry.close();
  await lake.close();
});

const OTHER = { identifier: [{ ...KEY.identifier[0] }, { name: 'person', value: 'somebody' }] };
const copy = (): ErasureReceipt => JSON.parse(JSON.stringify(receipt)) as ErasureReceipt;
const verify = (value: unknown, more: object = {}) =>
  lake.backend.verifyReceipt({ receipt: value as JsonObject, ...more });

describe('a receipt', () => {
  it('is valid, and says which keys it covers in any order of columns', async () => {
    const reversed = { identifier: KEY.identifier.toReversed() };
    const verdict = await verify(copy(), { keys: [KEY, OTHER, reversed] });
    expect(verdict).toMatchObject({ valid: true, covered: [true, false, true] });
    const { public_key, key_id } = await lake.backend.erasureKey();
    expect(await verify(copy(), { public_key })).toMatchObject({ valid: true, key_id });
    expect(verdict.statement).toMatchObject({ index: 't', clean: true, remains: [] });
    expect(verdict.statement!.commits).toHaveLength(1);
    expect(verdict.statement!.table_snapshots).toHaveLength(1);
  });

  it('contains no value of the row', () => {
    const text = JSON.stringify(receipt);
    for (const value of ['quilbert', SECRET]) expect(text).not.toContain(value);
    // snapshots, hashes and the signature may hold such digits between others
    expect(text).not.toMatch(/(?<![\w+/])99999(?![\w+/])/);
  });

  it('of the same keys has other hashes each time', async () => {
    const again = await lake.backend.runErasure({ index: 't', keys: [KEY] });
    expect(again.receipt.statement.keys).not.toEqual(receipt.statement.keys);
    expect(await verify(again.receipt, { keys: [KEY] })).toMatchObject({ covered: [true] });
  });

  it('that was changed anywhere is not valid', async () => {
    const changed = (change: (receipt: Record<string, never>) => void) => {
      const value = copy() as unknown as Record<string, never>;
      change(value);
      return value;
    };
    const statement = receipt.statement;
    const isA = receipt.signature.startsWith('A');
    const lies = [
      { ...copy(), statement: { ...statement, clean: false } },
      { ...copy(), statement: { ...statement, snapshot: '1' } },
      { ...copy(), statement: { ...statement, keys: { ...statement.keys, hashes: [] } } },
      { ...copy(), signature: `${isA ? 'B' : 'A'}${receipt.signature.slice(1)}` },
      changed((value) => Reflect.deleteProperty(value, 'statement')),
      { ...copy(), more: 1 },
      { ...copy(), statement: { ...statement, more: 1 } },
      { ...copy(), version: 2 },
      { ...copy(), key_id: '0'.repeat(16) },
      {},
    ];
    for (const lie of lies) {
      const verdict = await verify(lie, { keys: [KEY] });
      expect(verdict, JSON.stringify(lie).slice(0, 80)).toMatchObject({
        valid: false,
        covered: [],
      });
      expect(verdict.reason).toEqual(expect.any(String));
      expect(verdict.statement).toBeUndefined();
    }
  });

  it('that is any JSON value is not valid, and breaks nothing', async () => {
    const part = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.record({ statement: part, more: part }), async ({ statement, more }) => {
        expect((await verify({ ...copy(), ...more, statement })).valid).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('of another key is not valid, also if it names this one', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const forged = signReceipt(receipt.statement, privateKey);
    expect(await verify(forged)).toMatchObject({
      valid: false,
      reason: expect.stringContaining(keyId(privateKey)),
    });
    const named = { ...forged, key_id: receipt.key_id };
    expect(await verify(named)).toMatchObject({
      valid: false,
      reason: 'the signature does not fit the statement',
    });
    expect(await verify(forged, { public_key: publicPem(privateKey) })).toMatchObject({
      valid: true,
    });
  });

  it('is refused with a public key that is none, or of another kind', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsa = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    for (const public_key of ['', 'x', rsa]) {
      const refused = verify(copy(), { public_key });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('the key of receipts', () => {
  it('is a file that only its owner reads, and the same each time', () => {
    const path = join(lake.dataDir, RECEIPT_KEY_FILE);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(keyId(receiptKey(lake.dataDir))).toBe(receipt.key_id);
  });

  it('that is damaged is an error, not a new key', async () => {
    const path = join(lake.dataDir, RECEIPT_KEY_FILE);
    const pem = readFileSync(path);
    writeFileSync(path, pem.subarray(0, 60));
    await expect(lake.backend.erasureKey()).rejects.toMatchObject({ code: 'corrupt_index' });
    writeFileSync(path, pem);
    expect((await lake.backend.erasureKey()).key_id).toBe(receipt.key_id);
  });
});

describe('canonical JSON', () => {
  it('is the same for equal values, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
