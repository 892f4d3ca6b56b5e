import { openTable } from '@lakehouse-search/lake';

/**
 * Reads of a table on S3 beside the same table on a local disk: a scan of all rows with an empty
 * cache, 20 rows by locator and by key, cold and warm. Arguments: the local folder, the `s3://`
 * location. The environment names endpoint and keys; LHS_OBJECT_CACHE_DIR should be empty.
 *
 *   node bench/object-storage.ts ../shared/iceberg/git.commits s3://lake/commits
 */
const ROWS = 20;
const [near, far] = process.argv.slice(2);
if (near === undefined || far === undefined) throw new Error('expected FOLDER s3://BUCKET/KEY');

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return Math.round((performance.now() - begun) * 10) / 10;
}

async function measure(path: string) {
  const table = await openTable({ path });
  const columns = table.schema.fields.map(({ name }) => name);
  const { files } = await table.files(table.currentSnapshotId);
  const locators = Array.from({ length: ROWS }, (_, i) => {
    const { path: file, recordCount } = files[i % files.length].data;
    return { file, position: Math.floor(((i + 1) * recordCount) / (ROWS + 3)) };
  });
  const lookup = () => table.lookup(locators, columns);
  const cold = await timed(lookup);
  const warm = await timed(lookup);
  const found = await lookup();
  const key = columns.slice(0, 1);
  const keys = found.flatMap((row) => (row === null ? [] : [[row[key[0]] ?? null]]));
  const other = await openTable({ path });
  const byKey = () => other.lookupKeys(key, keys, columns);
  const keysCold = await timed(byKey);
  const keysWarm = await timed(byKey);
  const scan = await timed(async () => {
    for await (const _ of other.scan());
  });
  await Promise.all([table.close(), other.close()]);
  return { path, cold, warm, keysCold, keysWarm, scan };
}

console.table([await measure(near), await measure(far)]);
