import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const schema = schemaOf({ id: 'long', text: 'string', note: 'string' });
const DEFINITION = `analyzers:
  - { name: mine, tokenizer: standard, filters: [lowercase, { stemmer: { language: german } }] }
fields:
  - { name: text, type: TEXT, analyzer: german }
  - { name: note, type: TEXT, analyzer: english }
  - { name: own, type: TEXT, analyzer: mine, source: text }`;

let lake: SmallLake;
const add = (id: number) => lake.append([{ id, text: 'Die Häuser', note: 'houses' }]);
const count = async (query: string) => (await lake.backend.search({ query })).total;

beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await add(1);
  await lake.build(DEFINITION);
});
afterEach(() => lake.close());

/** The open folder of the only index. */
function directory() {
  const home = join(lake.folder, 'data', 'indexes');
  const [uuid] = readdirSync(home);
  return openLocalDirectory(currentGeneration(join(home, uuid))?.path as string);
}

/** Makes the commit one of a time when stems had no version. */
function forgetStems(): void {
  const commit = readCommit(directory());
  if (commit === null) throw new Error('no commit');
  const fields = commit.fields.map(({ stems: _, ...field }) => field);
  writeCommit(directory(), { ...commit, fields });
}

describe('an index of stemmed text', () => {
  it('records which stems it was built with', () => {
    const stems = readCommit(directory())?.fields.map(({ name, stems }) => [name, stems]);
    expect(stems).toEqual([
      ['text', 'snowball-3'],
      ['note', undefined],
      ['own', 'snowball-3'],
    ]);
  });

  it('built with other stems is neither searched nor written until a reindex', async () => {
    forgetStems();
    for (const query of ['text:haus', 'own:haus', 'text:"die häuser"']) {
      await expect(count(query)).rejects.toMatchObject({
        code: 'index_not_built',
        message: expect.stringMatching(/older stems of analyzer "(german|mine)" \(snowball-2, now/),
      });
    }
    expect(await count('note:house')).toBe(1);
    await add(2);
    await expect(lake.backend.sync({})).rejects.toMatchObject({ code: 'invalid_argument' });
    await lake.backend.reindex({});
    expect(await count('text:haus')).toBe(2);
    expect(await count('own:häuser')).toBe(2);
  });
});
