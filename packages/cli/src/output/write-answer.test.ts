import { describe, expect, it } from 'vitest';
import { writeJson } from './write-answer.ts';

const answer = {
  hits: Array.from({ length: 40 }, (_, i) => ({
    score: i,
    fields: { body: `${i}`.repeat(50_000) },
  })),
  total: 40n,
};

describe('a large JSON answer', () => {
  it('goes out in chunks, each after the one before it was taken', async () => {
    const chunks: string[] = [];
    let open = 0;
    await writeJson(async (chunk) => {
      open++;
      expect(open).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      chunks.push(String(chunk));
    }, answer);
    expect(chunks.length).toBeGreaterThan(10);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(300_000);
    const text = JSON.stringify(answer, (_, one) => (typeof one === 'bigint' ? `${one}` : one));
    expect(chunks.join('')).toBe(`${text}\n`);
  });

  it('ends at the first chunk that cannot be written', async () => {
    let calls = 0;
    const broken = new Error('EPIPE');
    const writing = writeJson(async () => {
      calls++;
      throw broken;
    }, answer);
    await expect(writing).rejects.toBe(broken);
    expect(calls).toBe(1);
  });
});
