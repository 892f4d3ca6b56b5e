import { join } from 'node:path';
import type { Coordinates, ErasurePlace } from '@lakehouse-search/engine';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { Registry } from '../../src/registry/registry.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1, 2],
  fields: [
    { id: 1, name: 'org', required: true, type: { kind: 'string' } },
    { id: 2, name: 'person', required: true, type: { kind: 'string' } },
    { id: 3, name: 'note', required: false, type: { kind: 'string' } },
    { id: 4, name: 'size', required: false, type: { kind: 'long' } },
  ],
};
const FIELDS = `fields:
  - { name: note, type: TEXT, cached: true }
  - { name: person, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
  - { name: meaning, type: VECTOR, source: note, model: m, dims: 8 }`;

/** The row that is erased, and its key. */
export const SECRET = 'a very secret diagnosis of quilbertson';
export const KEY: Coordinates = {
  identifier: [
    { name: 'org', value: 'acme' },
    { name: 'person', value: 'quilbert-4711' },
  ],
};
const WHERE = `person = 'quilbert-4711'`;

/** An index of a few rows, one of which is to be erased. */
export interface EraseLake extends SmallLake {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly backups: string;
  /** Deletes the row from the table. */
  deleteRow(): Promise<void>;
  /** Deletes it, and applies that to the index. */
  deleteAndSync(): Promise<void>;
  /** Distinct places that a check finds. */
  places(more?: object): Promise<readonly ErasurePlace[]>;
}

/** Opens a lake with an index that is built; `rows` beside the one to erase. */
export async function openEraseLake(rows = 30): Promise<EraseLake> {
  const lake = await openSmallLake({ openEmbedder: tinyModels().open });
  const others = Array.from({ length: rows }, (_, i) => {
    return { org: 'acme', person: `person-${i}`, note: `all is well with number n${i}`, size: i };
  });
  const own = { org: 'acme', person: 'quilbert-4711', note: SECRET, size: 99_999 };
  await lake.create(schema, { rows: [...others, own] });
  await lake.build(FIELDS);
  const dataDir = join(lake.folder, 'data');
  const registry = new Registry(dataDir);
  const places = async (more: object = {}) => {
    const { remains } = await lake.backend.checkErasure({ index: 't', keys: [KEY], ...more });
    return [...new Set(remains.map(({ place }) => place))].sort();
  };
  return Object.assign(lake, {
    ...{ dataDir, registry, places, backups: join(lake.folder, 'backups') },
    deleteRow: async () => void (await deleteRows(lake.source, WHERE)),
    deleteAndSync: async () => {
      await deleteRows(lake.source, WHERE);
      await lake.backend.sync({ index: 't' });
    },
  });
}
