import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Definition } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

/** Definitions out of manifests, which somebody may have written who can write to the bucket. */
let lake: BackupLake;
let judged: Definition[];
beforeAll(async () => {
  lake = await openBackupLake(20);
});
afterAll(() => lake.close());
beforeEach(async () => {
  judged = [];
  rmSync(lake.target, { recursive: true, force: true });
  await lake.backend.backup({ index: 't', target: lake.target });
});

function path(): string {
  const pins = readdirSync(join(lake.target, 'pins'), { recursive: true }) as string[];
  return join(lake.target, 'pins', pins.find((name) => name.endsWith('.json'))!);
}
const lines = () => readFileSync(path(), 'utf8').split('\n');

/** Writes a body with its SHA-256 under the first line, some of whose members are replaced. */
function plant(change: (body: string) => string, head: object = {}): void {
  const [first, body] = lines();
  const text = change(body);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const changed = { ...JSON.parse(first), sha256, ...head };
  writeFileSync(path(), `${JSON.stringify(changed)}\n${text}\n`);
}

/** Restores in a data folder, refusing every definition that it has to judge. */
async function restoreIn(dataDir: string): Promise<void> {
  const admit = (definition: Definition) => {
    judged.push(definition);
    throw new Error('not admitted');
  };
  const backend = await openEngine(dataDir, { create: true, threads: 0, admit });
  try {
    await backend.restore({ target: lake.target, as: 'again', aliases: 'none' });
    await backend.dropIndex({ index: 'again' });
  } finally {
    await backend.close();
  }
}

const own = () => join(lake.folder, 'data');
const ATTACKER = '{type: rest, uri: http://evil, token_env: SECRET}';
const toAttacker = (body: string) => body.replace(/catalog: \{[^}]*\}/, `catalog: ${ATTACKER}`);

describe('the manifest of a backup', () => {
  it('is signed, and restored unjudged by the data folder that made it', async () => {
    expect(JSON.parse(lines()[0])).toMatchObject({
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      signature: expect.any(String),
    });
    await restoreIn(own());
    expect(judged).toEqual([]);
  });

  it('is refused as damaged if it was changed below its signature', async () => {
    plant(toAttacker);
    await expect(restoreIn(own())).rejects.toMatchObject({
      code: 'corrupt_index',
      message: expect.stringContaining('signature'),
    });
    expect(judged).toEqual([]);
  });

  it.each([
    ['without a signature', { key_id: undefined, signature: undefined }],
    ['signed by another key', { key_id: '0123456789abcdef' }],
  ])('%s, has its definition judged', async (_what, head) => {
    plant(toAttacker, head);
    await expect(restoreIn(own())).rejects.toThrow('not admitted');
    expect(judged).toMatchObject([{ source: { catalog: { type: 'rest', token_env: 'SECRET' } } }]);
  });

  it('is judged in another data folder, and restored there where nobody judges', async () => {
    const other = join(lake.folder, 'other');
    await expect(restoreIn(other)).rejects.toThrow('not admitted');
    const { catalog } = lake.source;
    expect(judged).toMatchObject([{ source: { catalog } }]);
    plant((body) => body, { key_id: undefined, signature: undefined });
    const backend = await openEngine(other, { create: true, threads: 0 });
    const restored = await backend.restore({ target: lake.target, as: 'old', aliases: 'none' });
    expect(restored.index).toBe('old');
    await backend.close();
  });

  it('gives an index the definition of the request, if there is one', async () => {
    plant(toAttacker, { key_id: undefined, signature: undefined });
    const backend = await openEngine(own(), {
      create: true,
      threads: 0,
      admit: () => {
        throw new Error('not admitted');
      },
    });
    const { definition } = lake;
    await backend.restore({ target: lake.target, as: 'given', aliases: 'none', definition });
    const { source } = await backend.describeIndex({ index: 'given' });
    expect(source).toEqual(lake.source);
    await backend.close();
  });
});
