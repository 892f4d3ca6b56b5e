import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { FLOATS, schemaOf } from '../support/schema.ts';

const SCHEMA = schemaOf({
  ...{ id: 'string', title: 'string', org: 'string', size: 'long', vec: FLOATS, at: 'timestamptz' },
});
const ROWS = [
  { id: 'a', title: 'disk full', org: 'acme', size: 1, vec: [1, 0], at: '1970-05-01T00:00:00Z' },
  { id: 'b', title: 'disk quiet', org: 'rival', size: 2, vec: [0, 1] },
  { id: 'c', title: 'network down', org: 'acme', size: 3n ** 35n, vec: [1, 1] },
];

/** A small table on this machine, and definitions of indexes over it. */
export interface ContractTable {
  readonly source: {
    readonly catalog: { readonly type: 'filesystem'; readonly warehouse: string };
    readonly table: string;
  };
  /** The YAML of an index over the table, with `more` keys. Tenants are told apart by `org`. */
  definition(index: string, more?: string): string;
  append(id: string): Promise<unknown>;
  /** A folder for backups. */
  readonly backups: string;
  remove(): void;
}

/** Makes the table in a folder of its own. */
export async function createContractTable(): Promise<ContractTable> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-contract-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  await createTable(catalog, source.table, { schema: SCHEMA });
  await appendRows(source, { kind: 'rows', rows: ROWS });
  return {
    source,
    definition: (index, more = '') => `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ops.notes }
tenant_field: org
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true, cached: true }
  - { name: vec, type: VECTOR, dims: 2 }
  - { name: at, type: DATE }
${more}`,
    backups: join(folder, 'backups'),
    append: (id) => appendRows(source, { kind: 'rows', rows: [{ ...ROWS[0], id }] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
