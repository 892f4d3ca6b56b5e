/**
 * A process that upserts to a collection until it has done so or is killed: node child.ts FOLDER
 * WHO FROM TO. Prints each number once its upsert is acknowledged.
 */
import { writeSync } from 'node:fs';
import { openCollection } from '../../src/collection/index.ts';
import { COUNTERS } from './columns.ts';

const [folder, who, from, to] = process.argv.slice(2);
const counters = await openCollection(folder, 'counters', COUNTERS);
const upsert = async (n: number): Promise<void> => {
  await counters.upsert([
    { id: `${who}${n}`, n, who },
    { id: `shared${n % 10}`, n, who },
  ]);
  writeSync(1, `${n}\n`);
};
for (let n = Number(from); n < Number(to); n += 4) {
  await Promise.all([n, n + 1, n + 2, n + 3].filter((at) => at < Number(to)).map(upsert));
}
await counters.close();
