import { openTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { changeColumns } from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { RowHashes } from '../../src/documents/row-hash.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { setHashes } from '../../src/segment/alter.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const schema = schemaOf({ id: 'long', title: 'string', body: 'string' });

let lake: SmallLake;
const append = (from: number, count: number) =>
  lake.append(
    Array.from({ length: count }, (_, i) => ({
      id: BigInt(from + i),
      title: `title ${from + i}`,
      body: i % 3 === 0 ? null : `body ${from + i}`,
    })),
  );
const directory = () => openLocalDirectory(generationOf(lake.folder));

/**
 * Hashes the documents of all segments over a column that the definition does not have, as it is
 * left behind when its field is dropped. `wrong`: the hash of one document is another one.
 */
async function hashOverBody({ wrong = false } = {}): Promise<void> {
  const table = await openTable(lake.source);
  const columns = ['id', 'title', 'body'];
  const hashes = new Map<string, bigint>();
  for await (const batch of table.scan({ snapshotId: table.currentSnapshotId!, columns })) {
    const vectors = batch.columns.map((vector, i) => ({ fieldId: i + 1, vector }));
    new RowHashes(vectors, batch.rows).own.forEach((hash, row) => {
      hashes.set(`${batch.file} ${batch.positions[row]}`, hash);
    });
  }
  await table.close();
  const snapshot = openSnapshot(directory());
  const segments = snapshot.segments.map(({ entry, docs, locators }) => {
    const place = (doc: number) =>
      `${snapshot.files.at(locators.file(doc)).path} ${locators.position(doc)}`;
    const own = BigUint64Array.from({ length: docs }, (_, doc) => hashes.get(place(doc))!);
    if (wrong) own[0] ^= 1n;
    const hashed = [{ docs, columns: ['1', '2', '3'] }];
    return setHashes(entry, own, hashed, directory(), snapshot.commit.number);
  });
  snapshot.release();
  const commit = readCommit(directory())!;
  writeCommit(directory(), { ...commit, number: commit.number + 1, segments });
}

beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { formatVersion: 2 });
  await append(0, 30);
  await lake.build('fields: [{ name: title, type: TEXT, cached: true }]');
});
afterEach(() => lake.close());

describe('row hashes over a column that the definition does not have', () => {
  it('are verified by the column of that field id, in whole and in samples', async () => {
    await hashOverBody();
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, rows_compared: 30 });
    expect(await lake.backend.verify({ sample: 7 })).toMatchObject({ equal: true });
    await hashOverBody({ wrong: true });
    expect(await lake.backend.verify({})).toMatchObject({ equal: false, stale: 1, missing: 0 });
  });

  it('are verified beside documents without that column', async () => {
    await hashOverBody();
    await append(30, 10);
    await lake.backend.sync({});
    const sets = readCommit(directory())!.segments.flatMap(({ hashed }) => hashed ?? []);
    expect(sets.map(({ columns }) => columns)).toEqual([
      ['1', '2', '3'],
      ['1', '2'],
    ]);
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, rows_compared: 40 });
    await lake.backend.compact({});
    expect(readCommit(directory())?.segments[0].hashed).toEqual([
      { docs: 30, columns: ['1', '2', '3'] },
      { docs: 10, columns: ['1', '2'] },
    ]);
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, rows_compared: 40 });
  });

  it('follow a rename of the column', async () => {
    await hashOverBody();
    await changeColumns(lake.source, { kind: 'rename', from: 'body', to: 'text' });
    expect(await lake.backend.verify({})).toMatchObject({ equal: true });
  });
});
