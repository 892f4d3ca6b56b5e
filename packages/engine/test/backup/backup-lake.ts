import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { type TinyModels, tinyModels } from '../../../../test/support/tiny-model.ts';

const schema = schemaOf({ id: 'string', title: 'string', size: 'long' });
const FIELDS = `sharding: { shards: 3 }
# a remark that a restore keeps
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: size, type: LONG, fast: true }
  - { name: meaning, type: VECTOR, source: title, model: MODEL, dims: 8 }`;

/** A table with the index `t` of three shards and a VECTOR field, and a folder for backups. */
export interface BackupLake extends SmallLake {
  readonly models: TinyModels;
  readonly target: string;
  /** The text of the index's definition. */
  readonly definition: string;
  /** Changes some rows of the table: inserts, updates, deletes. `n` tells the changes apart. */
  change(n: number): Promise<void>;
}

/** Makes table, index and the folder; the index is built. */
export async function openBackupLake(rows = 300): Promise<BackupLake> {
  const models = tinyModels();
  const lake = await openSmallLake({ openEmbedder: models.open });
  await lake.create(schema);
  mkdirSync(join(lake.folder, 'tiny'));
  const fields = FIELDS.replace('MODEL', join(lake.folder, 'tiny'));
  await lake.define(fields);
  const { catalog, table } = lake.source;
  const source = `source: { catalog: ${JSON.stringify(catalog)}, table: ${table} }`;
  const definition = `version: 1\nindex: t\n${source}\n${fields}\n`;
  await appendRows(lake.source, { kind: 'rows', rows: someRows(0, rows) });
  await lake.backend.reindex({ index: 't' });
  const change = async (n: number) => {
    await appendRows(lake.source, { kind: 'rows', rows: someRows(10_000 * n, 20) });
    await upsertRows(lake.source, { kind: 'rows', rows: someRows(5, 10, `changed ${n}`) });
    await deleteRows(lake.source, `size = ${50 + n}`);
  };
  return { ...lake, models, definition, target: join(lake.folder, 'backups'), change };
}

const someRows = (from: number, count: number, word = 'disk') =>
  Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return { id: `k${n}`, title: `${word} ${n % 17} of host ${n}`, size: n };
  });
