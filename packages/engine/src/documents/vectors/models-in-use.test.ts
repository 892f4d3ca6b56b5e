import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Embedder, textsOf } from '../../embed/embedder.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { ModelsInUse } from './models-in-use.ts';

const DIMS = 2;

/** One model under every name; `closed` counts. */
const modelOf = (name: string, closed: string[]): Embedder => ({
  identity: { name, checksum: 'a'.repeat(64), dims: DIMS },
  embed: async ({ offsets }) => new Float32Array((offsets.length - 1) * DIMS).fill(1),
  close: async () => void closed.push(name),
});

const planOf = (model: string): FieldPlan => ({
  id: 0,
  name: 'meaning',
  type: 'VECTOR',
  inverted: null,
  column: null,
  stored: false,
  vector: { dims: DIMS, similarity: 'cosine', index: 'flat', model },
});

describe('models in use', () => {
  it('share one cache if two names mean one model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-models-'));
    const closed: string[] = [];
    try {
      const models = new ModelsInUse({
        index: 'it',
        folder,
        baseDir: folder,
        openEmbedder: async (model) => modelOf(model, closed),
      });
      const [a, b] = [await models.of(planOf('a')), await models.of(planOf('b'))];
      expect(await a.vectors(textsOf(['one', 'two']))).toMatchObject({ computed: 2, reused: 0 });
      expect(await b.vectors(textsOf(['two', 'three']))).toMatchObject({ computed: 1, reused: 1 });
      expect(await a.vectors(textsOf(['three', 'one']))).toMatchObject({ computed: 0, reused: 2 });
      await models.endBuild();
      await models.close();
      expect(closed).toEqual(['a', 'b']);
      expect(readdirSync(join(folder, 'embeddings'))).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
