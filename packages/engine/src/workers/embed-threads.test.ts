import { afterEach, describe, expect, test } from 'vitest';
import { fixVectors } from '../base/fixed-vector.ts';
import { type Embedder, textsOf } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/open-embedder.ts';
import { embedThreads } from './embed-threads.ts';

const texts = textsOf(Array.from({ length: 700 }, (_, i) => (i % 7 === 3 ? '' : `fix leak ${i}`)));
const open = (model: string, from: string) => openEmbedder(model, { from });
let model: Embedder;
afterEach(() => model.close());

describe('a model whose texts are embedded by threads', () => {
  test.each([1, 2])(
    'gives the vectors that the caller computes, with %i threads',
    async (count) => {
      model = await embedThreads(open, count)('default', '.');
      const own = fixVectors(await model.embed(texts), model.identity.dims);
      expect(await model.embedFixed!(texts)).toEqual(own);
      expect(model.embedFixed!(textsOf(['one', 'two']))).toBeNull();
    },
  );

  test('fails the texts that are under way when it is closed, and takes no more', async () => {
    model = await embedThreads(open, 1)('default', '.');
    const running = expect(model.embedFixed!(texts)).rejects.toMatchObject({ code: 'internal' });
    await model.close();
    await running;
    expect(model.embedFixed!(texts)).toBeNull();
  });

  test('stays as it is if threads cannot open it, or there are none', async () => {
    model = await open('default', '.');
    const { source: _, ...other } = { ...model, identity: model.identity };
    expect(await embedThreads(async () => model, 0)('default', '.')).toBe(model);
    expect(await embedThreads(async () => other as Embedder, 2)('default', '.')).toBe(other);
  });

  test('throws what a thread throws', async () => {
    const whole = await open('default', '.');
    const source = { folder: '/nowhere', name: 'default' };
    const moved: Embedder = {
      identity: whole.identity,
      source,
      embed: (all) => whole.embed(all),
      close: () => whole.close(),
    };
    model = await embedThreads(async () => moved, 1)('default', '.');
    await expect(model.embedFixed!(texts)).rejects.toMatchObject({ code: 'model_unavailable' });
  });
});
