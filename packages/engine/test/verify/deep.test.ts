import { deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tableToFormatOne } from '../../../../test/support/format-1.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import type { OpenEmbedder, Texts } from '../../src/embed/embedder.ts';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { storeParsed } from '../../src/schema/parse/parsed-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', org: 'string' });
const FIELDS = `fields:
  - { name: title, type: TEXT, analyzer: standard, cached: true }
  - { name: org, type: KEYWORD, fast: true }
  - { name: body, type: TEXT, source: title, analyzer: standard }
`;

let lake: SmallLake;
/** Makes the model give other vectors. */
let reversed: boolean;

beforeEach(async () => {
  const models = tinyModels();
  reversed = false;
  const openEmbedder: OpenEmbedder = async (name, from) => {
    const model = await models.open(name, from);
    const embed = async (texts: Texts) => {
      const vectors = await model.embed(texts);
      return reversed ? vectors.map((value) => -value) : vectors;
    };
    return { ...model, embed };
  };
  lake = await openSmallLake({ openEmbedder });
  const titles = ['Night trains', 'night bus', null, 'day trains', 'trains trains'];
  const rows = titles.map((title, id) => ({ id, title, org: id === 1 ? null : `o${id % 2}` }));
  await lake.create(SCHEMA, { rows: rows.slice(0, 3) });
  await lake.append(rows.slice(3));
});
afterEach(() => lake.close());

const verify = (parts: object = {}) => lake.backend.verify({ index: 't', deep: true, ...parts });

/** Writes other lines into the registry, as no command does: the segments stay as they were. */
function redefine(change: (text: string) => string): void {
  const registry = new Registry(lake.backend.dataDir);
  const known = registry.get('t');
  const definition = requireDefinition(change(known.definition), ANALYZER_CATALOG);
  const { text, index: name } = definition;
  const { baseDir } = known;
  registry.redefine(known, { name, definition: text, parsed: storeParsed(definition), baseDir });
  registry.close();
}

describe('a deep verify', () => {
  it('compares every document with its row indexed again', async () => {
    await lake.build(FIELDS);
    await deleteRows(lake.source, 'id = 3');
    await lake.backend.sync({ index: 't' });
    expect(await verify()).toMatchObject({ equal: true, deep_documents: 4, faults: [] });
    expect(await verify({ sample: 2 })).toMatchObject({ equal: true, deep_documents: 2 });
  });

  it('finds right rows under wrong terms, which the comparison of rows does not', async () => {
    await lake.build(FIELDS);
    redefine((text) =>
      text.replace('source: title, analyzer: standard', 'source: title, analyzer: english'),
    );
    expect(await lake.backend.verify({ index: 't' })).toMatchObject({ equal: true, faults: [] });
    const found = await verify();
    expect(found).toMatchObject({ equal: false, missing: 0, stale: 0, deep_documents: 5 });
    expect(found.faults).toEqual([
      'field "body": 3 documents differ from the row indexed again: id=0, id=3, id=4',
    ]);
  });

  it('compares documents whose row hashes cover other columns than a build would', async () => {
    await lake.build(FIELDS);
    const registry = new Registry(lake.backend.dataDir);
    const home = indexFolder(lake.backend.dataDir, registry.get('t').uuid);
    registry.close();
    const directory = openLocalDirectory(currentGeneration(home)?.path ?? '');
    await tableToFormatOne(directory, lake.source);
    expect(await verify()).toMatchObject({ equal: true, deep_documents: 5 });
    redefine((text) => text.replace('source: title, analyzer: standard', 'source: org'));
    expect(await verify()).toMatchObject({ equal: false, stale: 0, deep_documents: 5 });
  });

  it('finds vectors that the model does not give', async () => {
    await lake.build(`${FIELDS}  - { name: v, type: VECTOR, source: title, dims: 8, model: m }\n`);
    expect(await verify()).toMatchObject({ equal: true, deep_documents: 5 });
    reversed = true;
    expect((await verify()).faults).toEqual([
      expect.stringMatching(/^field "v": 4 documents differ/),
    ]);
  });

  it('does not go with a repair', async () => {
    await lake.build(FIELDS);
    await expect(verify({ repair: true })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
