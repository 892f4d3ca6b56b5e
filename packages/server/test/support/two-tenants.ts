import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable, deleteRows, type Row, upsertRows } from '@lakehouse-search/lake';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import type { ServerConfig } from '../../src/config/server-config.ts';
import { startService, type TestService } from './service.ts';

const SCHEMA = schemaOf({
  ...{ id: 'string', org: 'string', title: 'string', state: 'string', size: 'long' },
  ...{ at: 'timestamptz', v: FLOATS },
});

/** Words that only the rows of the other tenant have. */
export const CANARIES = ['kanarekzwolf', 'papageineun', 'wellensittichdrei'] as const;

/** A server over rows of the tenants `acme` and `rival`, and tokens of both. */
export interface TwoTenants {
  readonly service: TestService;
  readonly acme: string;
  readonly rival: string;
  stop(): Promise<void>;
}

const WORDS = ['disk', 'full', 'quiet', 'network', 'down', 'slow', 'timeout', 'backup'];
const STATES = ['open', 'closed', 'waiting'];

/** The rows of `acme` are the same in all corpora. */
const ownRow = (n: number) => ({
  id: `a${n}`,
  org: 'acme',
  title: `${WORDS[n % 8]} ${WORDS[(3 * n + 1) % 8]} ${WORDS[(n >> 2) % 8]} ${n}`,
  state: STATES[n % 3],
  size: n % 7 === 0 ? 3n ** 35n : BigInt(n),
  at: new Date(Date.UTC(2026, n % 12, 1 + (n % 28))).toISOString(),
  v: [Math.cos(n), Math.sin(n)],
});

/** Rows of `rival`: own words, keys and values, and words that `acme` has as well. */
const foreignRow = (n: number, corpus: number) => ({
  id: `b${n}`,
  org: 'rival',
  title: [
    CANARIES[(n + corpus) % 3],
    WORDS[(n * corpus) % 8],
    'disk '.repeat(n % (3 * corpus)),
  ].join(' '),
  state: `${CANARIES[n % 3]}-${corpus}`,
  size: BigInt(1_000_000 * corpus + n),
  at: new Date(Date.UTC(2000 + corpus, n % 12, 1)).toISOString(),
  v: [Math.cos(corpus * n), Math.sin(corpus + n)],
});

const DEFINITION = `tenant_field: org
freshness_ms: 0
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: org, type: KEYWORD, fast: true, cached: true }
  - { name: state, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true, cached: true }
  - { name: at, type: DATE }
  - { name: v, type: VECTOR, dims: 2 }
`;

/** Starts a server over a corpus; corpora differ in the rows of `rival` alone. */
export async function startTwoTenants(
  corpus: 1 | 2,
  values: ServerConfig['values'] = {},
): Promise<TwoTenants> {
  const lake = mkdtempSync(join(tmpdir(), 'lhs-tenants-'));
  const catalog = { type: 'filesystem', warehouse: lake } as const;
  const source = { catalog, table: 'ops.rows' };
  const rows = (from: number, to: number, of: (n: number) => Row) => ({
    kind: 'rows' as const,
    rows: Array.from({ length: to - from }, (_, i) => of(from + i)),
  });
  const foreign = (from: number, to: number) => rows(from, to, (n) => foreignRow(n, corpus));
  await createTable(catalog, source.table, { schema: SCHEMA });
  await appendRows(source, foreign(0, 200 * corpus));
  await appendRows(source, rows(0, 60, ownRow));
  const service = await startService({
    prepare: async (backend) => {
      const at = `{ catalog: ${JSON.stringify(catalog)}, table: ops.rows }`;
      const definition = `version: 1\nindex: rows\nsource: ${at}\n${DEFINITION}`;
      await backend.createIndex({ definition });
      await backend.reindex({ index: 'rows' });
      // Deleted documents, several segments, and rows that the index does not have yet.
      await upsertRows(source, foreign(5, 30 * corpus));
      await upsertRows(
        source,
        rows(3, 9, (n) => ({ ...ownRow(n), title: 'disk replaced' })),
      );
      await deleteRows(source, "id = 'a11'");
      await backend.sync({ index: 'rows' });
      await appendRows(source, foreign(900, 900 + corpus));
      await appendRows(source, rows(90, 92, ownRow));
    },
    values,
    names: { catalogs: { main: catalog } },
  });
  const roles = ['reader', 'operator', 'admin'];
  return {
    service,
    acme: await service.token({ roles, tenant: 'acme' }),
    rival: await service.token({ roles, tenant: 'rival' }),
    async stop() {
      await service.stop();
      rmSync(lake, { recursive: true, force: true });
    },
  };
}
