import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Compression } from '../input/input-files.ts';
import { writeJsonRows, writeLargeArray } from './json-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-json-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const to = join(folder, 'rows.ndjson');

function input(text: string | Buffer, compression: Compression | null = null) {
  const path = join(folder, 'input.json');
  writeFileSync(path, text);
  return { path, compression, shown: '"input.json"' };
}

/** The rows that are written for a writer with little memory; null: the text is left to DuckDB. */
async function linesOf(text: string | Buffer, compression?: Compression): Promise<unknown> {
  const written = await writeLargeArray(input(text, compression), 8, to);
  if (written === null) return null;
  const lines = readFileSync(written.path, 'utf8').split('\n').slice(0, -1);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

describe('a large array', () => {
  it('has its elements as lines, on one line or on many', async () => {
    const values = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 });
    const check = fc.asyncProperty(values, fc.nat(2), async (rows, indent) => {
      const parsed = JSON.parse(JSON.stringify(rows));
      expect(await linesOf(JSON.stringify(rows, null, indent))).toEqual(parsed);
    });
    await fc.assert(check, { numRuns: 50 });
    expect(await linesOf(gzipSync('[{"a":1},{"a":2}]'), 'gzip')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('is left to DuckDB if it is small for the writer', async () => {
    expect(await writeLargeArray(input('[{"a":1}]'), 1024, to)).toBe(null);
  });

  it.each([
    ['lines of objects', '{"a":1}\n{"a":2}\n'],
    ['several arrays', '[{"a":1}]\n[{"a":2}]\n'],
    ['an array that is cut off', '[{"a":1},{"a":'],
    ['an array without a comma', '[{"a":1} {"a":2}]'],
    ['values without a comma', '[1 2]'],
    ['no value', '          '],
  ])('is not %s', async (_, text) => {
    expect(await linesOf(text)).toBe(null);
  });

  it('is refused if one element is larger than can be read', async () => {
    const text = `[{"id":1,"values":[${'1234567,'.repeat(2_200_000)}1]}]`;
    await expect(linesOf(text)).rejects.toThrow('a row of more than 16 MiB; write its rows as');
  });
});

describe('rows at a path', () => {
  it.each([
    ['are cut off', '{"rows":[{"a":1},{"a":'],
    ['miss a comma', '{"rows":[{"a":1} {"a":2}]}'],
  ])('are refused if they %s, not read in part', async (_, text) => {
    const written = writeJsonRows(input(text), { path: ['rows'], isGuess: false }, to, false);
    await expect(written).rejects.toThrow('cut off or misses a comma');
  });
});
