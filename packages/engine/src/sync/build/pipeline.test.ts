import { describe, expect, test } from 'vitest';
import { Pipeline } from './pipeline.ts';

const make = (item: string, log: string[]) => async () => {
  log.push(`make ${item}`);
  await Promise.resolve();
  log.push(`made ${item}`);
  return item;
};

describe('a pipeline', () => {
  test('takes each item while the next one is made, in their order', async () => {
    const log: string[] = [];
    const pipeline = new Pipeline<string>(async (item) => {
      log.push(`take ${item}`);
    });
    for (const item of ['a', 'b', 'c']) await pipeline.push(make(item, log));
    await pipeline.drain();
    await pipeline.drain();
    const steps = ['make a', 'made a', 'make b', 'take a', 'made b', 'make c', 'take b', 'made c'];
    expect(log).toEqual([...steps, 'take c']);
  });

  test('throws the error of an item at the next push, and drops what stop finds', async () => {
    const taken: string[] = [];
    const pipeline = new Pipeline<string>(async (item) => {
      taken.push(item);
    });
    await pipeline.push(() => Promise.reject(new Error('no vector')));
    await expect(pipeline.push(make('b', []))).rejects.toThrow('no vector');
    await pipeline.stop();
    await pipeline.drain();
    expect(taken).toEqual([]);
  });
});
