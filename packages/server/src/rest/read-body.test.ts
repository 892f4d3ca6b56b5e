import { describe, expect, it } from 'vitest';
import { bodyValue } from './read-body.ts';

const read = async (text: string) => bodyValue(text);
const texts = (count: number) => Array.from({ length: count }, (_, n) => `value ${n}`);

describe('a body', () => {
  it.each([
    ['a short one', { a: [1, 0.5, 'x'], b: null }],
    ['many texts', { terms: texts(65_536) }],
    ['many names', Object.fromEntries(texts(70_000).map((name) => [name, 1]))],
    ['a long text', { text: ',:[{'.repeat(10_000).padEnd(8 * 2 ** 20, 'x') }],
  ])('is read: %s', async (_, value) => {
    expect(await read(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    ['lists', `{"a":${'['.repeat(250_001)}`],
    ['numbers', `[${'1,'.repeat(250_001)}1]`],
    ['objects', `[${'{},'.repeat(125_001)}1]`],
    ['names', `{${texts(80_001).map((name) => `"${name}":1`)}}`],
  ])('is refused before it is parsed: too many %s', async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'limit_exceeded' });
  });

  it('with an equal name twice is refused, however long it is', async () => {
    const text = `{"a":"${'x'.repeat(100_000)}","a":2}`;
    await expect(read(text)).rejects.toThrow('the body has the name "a" twice in one object');
  });
});
