import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { FirstThatAnswers } from './first-that-answers.ts';

const silent = () => new LhsError('unreachable', 'no answer');

describe('a list of processes that can stand in for each other', () => {
  it('calls the one that answered last first', async () => {
    const list = new FirstThatAnswers(['a', 'b']);
    const called: string[] = [];
    const work = async (one: string) => {
      called.push(one);
      if (one === 'a') throw silent();
      return one;
    };
    expect([await list.call(work), await list.call(work)]).toEqual(['b', 'b']);
    expect(called).toEqual(['a', 'b', 'b']);
  });

  it('throws what the first that answers throws, and unreachable if none does', async () => {
    const list = new FirstThatAnswers(['a', 'b']);
    const refused = new LhsError('not_found', 'there is none');
    await expect(list.call(() => Promise.reject(refused))).rejects.toBe(refused);
    await expect(list.call(() => Promise.reject(silent()))).rejects.toThrow('no answer');
    const none = new FirstThatAnswers<string>([]);
    await expect(none.call(async () => 1)).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('sends a call that is not idempotent once, unless it was not sent', async () => {
    const list = new FirstThatAnswers(['a', 'b']);
    const called: string[] = [];
    const failing = (details: object) => async (one: string) => {
      called.push(one);
      throw new LhsError('unreachable', `${one} is away`, { details: { ...details } });
    };
    await expect(list.call(failing({}), false)).rejects.toThrow('a is away');
    await expect(list.call(failing({ sent: false }), false)).rejects.toThrow('a is away');
    expect(called).toEqual(['a', 'b', 'a']);
  });

  it('moves a stream to another process before its first item only', async () => {
    const list = new FirstThatAnswers(['early', 'late']);
    const items = list.items(async function* (one) {
      if (one === 'early') throw silent();
      yield 1;
      throw silent();
    });
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await expect(items.next()).rejects.toThrow('no answer');
  });
});
