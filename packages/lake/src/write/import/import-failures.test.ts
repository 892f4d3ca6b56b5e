import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../base/limits.ts';
import { openTable } from '../../table.ts';
import { appendToTable, upsertIntoTable } from '../table-writer.ts';
import { type ImportOptions, importIntoTable } from './import-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-failures-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const lake = join(folder, 'lake');
const catalogs = {
  filesystem: { type: 'filesystem', warehouse: lake },
  sql: { type: 'sql', uri: `sqlite:///${join(folder, 'c.db')}`, warehouse: lake },
} as const;
const catalog = catalogs.filesystem;

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
/** All files below a folder, hidden ones too; [] where it is not there. */
const filesIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : [];

/** Data files of a table: those that lie there, those that its snapshot names, and their rows. */
async function dataOf(table: string) {
  const source = await openTable({ catalog, table });
  const { files } = await source.files(source.currentSnapshotId);
  const named = files.map(({ data }) => data.path.split('/').at(-1)).sort();
  const rows = files.reduce((n, { data }) => n + data.recordCount, 0);
  await source.close();
  return { lying: filesIn(join(lake, ...table.split('.'), 'data')).sort(), named, rows };
}

/** As many keys as do not fit into memory. */
const ROWS = LIMITS.keysInMemory + 10_000;
const large = join(folder, 'large.parquet');
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT i AS id, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS text, i % 7 AS kind
     FROM range(${ROWS}) r(i)) TO '${large}' (FORMAT parquet)`,
  );
});

/**
 * An import in a process of its own, which kills itself once a data file has bytes. An import with
 * a key reports progress when all of its files are there, however fast they were written.
 */
async function killedImport(options: ImportOptions, data: string): Promise<void> {
  const module = new URL('./import-files.ts', import.meta.url).href;
  const script = `import { readdirSync, statSync } from 'node:fs';
    import { join } from 'node:path';
    import { importIntoTable } from ${JSON.stringify(module)};
    const data = ${JSON.stringify(data)};
    const isWritten = () => readdirSync(data, { recursive: true }).some((name) =>
      name.includes('.lhs-work-') && name.endsWith('.parquet') &&
      statSync(join(data, name)).size > 0);
    const onProgress = () => isWritten() && process.kill(process.pid, 'SIGKILL');
    await importIntoTable({ ...${JSON.stringify(options)}, onProgress });
    console.log('finished');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => said.push(text));
  }
  await once(child, 'close');
  expect([said, child.signalCode]).toEqual([[], 'SIGKILL']);
}

describe('an import that is killed', () => {
  it.each([
    ['without partitions', ''],
    ['with partitions', 'kind,bucket[4](id)'],
  ])('%s leaves no table, and its retry leaves nothing of it', async (_, partitionBy) => {
    const table = `k.t${partitionBy.length}`;
    const data = join(lake, ...table.split('.'), 'data');
    const options = { catalog, table, files: [large], partitionBy, key: ['id'] };
    await killedImport(options, data);
    expect(filesIn(data)).not.toEqual([]);
    await expect(openTable({ catalog, table })).rejects.toMatchObject({
      reason: 'table_not_found',
    });
    expect(await importIntoTable(options)).toMatchObject({ inserted: ROWS });
    const { lying, named, rows } = await dataOf(table);
    expect([lying, rows]).toEqual([named, ROWS]);
  });

  it('leaves the table that it would have added to as it was', async () => {
    const table = 'k.more';
    const data = join(lake, 'k', 'more', 'data');
    await importIntoTable({
      catalog,
      table,
      files: [file('one.ndjson', '{"id":1,"text":"x","kind":1}\n')],
    });
    await killedImport({ catalog, table, files: [large], mode: 'append', key: ['id'] }, data);
    expect((await dataOf(table)).rows).toBe(1);
    await appendToTable({ catalog, table }, { kind: 'files', paths: [large] });
    const { lying, named, rows } = await dataOf(table);
    expect([lying, rows]).toEqual([named, ROWS + 1]);
  });
});

describe.each(Object.entries(catalogs))('a failed import in a %s catalog', (name, into) => {
  it('leaves neither table nor folder, and the right file is taken next', async () => {
    const table = `f.${name}`;
    const bad = file('bad.ndjson', '{"id":1}\n{"id":null}\n{}\n');
    const options = { catalog: into, table, key: ['id'] };
    await expect(importIntoTable({ ...options, files: [bad] })).rejects.toThrow(
      'required column "id" (BIGINT) is null in 2 rows, first in row 2',
    );
    expect(existsSync(join(lake, 'f', name))).toBe(false);
    const good = file('good.ndjson', '{"id":1}\n{"id":2}\n');
    expect(await importIntoTable({ ...options, files: [good] })).toMatchObject({ inserted: 2 });
    await expect(importIntoTable({ ...options, files: [good] })).rejects.toMatchObject({
      reason: 'table_exists',
    });
  });

  it('that another one was faster than leaves the other’s table', async () => {
    const table = `f.race_${name}`;
    const files = [file('race.ndjson', '{"id":1}\n')];
    const done = await Promise.allSettled(
      Array.from({ length: 4 }, () => importIntoTable({ catalog: into, table, files })),
    );
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of done) {
      if (result.status === 'rejected') expect(result.reason.reason).toBe('table_exists');
    }
    expect(filesIn(join(lake, 'f', `race_${name}`, 'data'))).toHaveLength(1);
    const kept = filesIn(join(lake, 'f', `race_${name}`, 'metadata'));
    expect(kept.filter((path) => path.endsWith('.avro'))).toHaveLength(2);
  });
});

describe('a write that fails', () => {
  it('leaves nothing in the table', async () => {
    const table = 'f.keep';
    const config = { catalog, table };
    await importIntoTable({ catalog, table, files: [file('k.csv', 'id,n\n1,2\n')], key: ['id'] });
    const before = filesIn(join(lake, 'f', 'keep')).sort();
    const twice = { kind: 'files', paths: [file('twice.csv', 'id,n\n1,2\n1,3\n')] } as const;
    const wrong = { kind: 'files', paths: [file('wrong.csv', 'id,n\n1,x\n')] } as const;
    await expect(upsertIntoTable(config, twice)).rejects.toMatchObject({ reason: 'duplicate_key' });
    await expect(upsertIntoTable(config, wrong)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(appendToTable(config, wrong)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(filesIn(join(lake, 'f', 'keep')).sort()).toEqual(before);
  });

  it('on a signal ends and leaves nothing, with progress on the way', async () => {
    const stop = new AbortController();
    const shares: number[] = [];
    const onProgress = ({ phase, share }: { phase: string; share: number }) => {
      shares.push(share);
      if (phase === 'writing') stop.abort();
    };
    const work = importIntoTable({
      ...{ catalog, table: 'f.stopped', files: [large] },
      ...{ onProgress, signal: stop.signal },
    });
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(shares.length).toBeGreaterThan(0);
    expect(existsSync(join(lake, 'f', 'stopped'))).toBe(false);
  });
});

describe('what an import refuses by name', () => {
  const refused = async (name: string, files: readonly string[], message: RegExp, code: string) => {
    const work = importIntoTable({ catalog, table: `r.${name}`, files });
    const error = await work.catch((e: unknown) => e);
    expect(error).toMatchObject({ reason: code, message: expect.stringMatching(message) });
    expect(existsSync(join(lake, 'r', name))).toBe(false);
  };

  it('files that are not there, are none, or of unknown or different kinds', async () => {
    const nope = join(folder, 'events.parquet');
    const csv = file('a.csv', 'a\n1\n');
    const json = file('a.ndjson', '{"a":1}\n');
    const plain = file('plain', 'x');
    const text = file('a.xyz', 'x');
    const address = 's3://bucket/events.parquet';
    await refused('a', [address], /is an address: files to import are in local/, 'unsupported');
    await refused('a', [nope], /^no file ".*events\.parquet"$/, 'input_not_found');
    await refused('a', [csv, nope], /^no file ".*events\.parquet"$/, 'input_not_found');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    await refused('a', [empty], /folder ".*empty" has no files/, 'invalid_argument');
    await refused('a', [plain], /no ending; files end in \.parquet, \.csv/, 'invalid_argument');
    await refused('a', [text], /"\.xyz" is not a known ending/, 'invalid_argument');
    await refused(
      'a',
      [csv, json],
      /a\.csv" and ".*a\.ndjson" are of different/,
      'invalid_argument',
    );
    await refused('a', ['/dev/null'], /not a regular file/, 'invalid_argument');
  });

  it('broken files, in words without DuckDB', async () => {
    const broken = file('broken.ndjson', '{"a":1}\n{"a":\n');
    const junk = file('junk.parquet', 'this is no parquet file');
    await refused(
      'b',
      [broken],
      /^cannot read ".*broken\.ndjson": malformed JSON/,
      'invalid_argument',
    );
    await refused('b', [junk], /^cannot read ".*junk\.parquet"/, 'invalid_argument');
  });

  it('lists in lists beyond the depth that DuckDB reads quickly', async () => {
    const nested = (depth: number) =>
      file(`n${depth}.ndjson`, `{"id":1,"n":${'['.repeat(depth)}1${']'.repeat(depth)}}\n`);
    const most = LIMITS.importListDepth;
    const ok = { catalog, table: 'r.deep', files: [nested(most)] };
    expect(await importIntoTable(ok)).toMatchObject({ inserted: 1 });
    for (const depth of [most + 1, 26, 40]) {
      await refused('c', [nested(depth)], /column "n" nests/, 'limit_exceeded');
    }
  });

  it('a value that no page could hold', async () => {
    const path = join(folder, 'long.parquet');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(
      `COPY (SELECT 1 AS id, repeat('x', ${LIMITS.importValueBytes + 1}) AS t)
       TO '${path}' (FORMAT parquet, COMPRESSION zstd)`,
    );
    await refused(
      'd',
      [path],
      /column "t" has a value of more than 134217728 bytes/,
      'invalid_argument',
    );
  });
});
