/**
 * Opens the index of the data folder in argv[2] anew, over and over, and prints what it holds at
 * each look: snapshot, rows, digest of ids and titles. Ends when stdin does. Run by
 * sync/whole-snapshots.test.ts.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openEngine } from '@lakehouse-search/engine/local/internal';

let going = true;
process.stdin.on('end', () => {
  going = false;
});
process.stdin.resume();
while (going) {
  const backend = await openEngine(process.argv[2], { create: true, threads: 0 });
  const rows: string[] = [];
  const { snapshot } = await backend.describeIndex({});
  for await (const { fields } of backend.exportDocuments({})) {
    rows.push(`${fields.id}:${fields.title}`);
  }
  const search = await backend.search({ query: '*:*', limit: 1 });
  const after = await backend.describeIndex({});
  const digest = createHash('sha256').update(rows.sort().join('\n')).digest('hex');
  const look = { before: snapshot, after: after.snapshot, rows: rows.length, digest };
  process.stdout.write(`${JSON.stringify({ ...look, search })}\n`);
  await backend.close();
  await setImmediate();
}
