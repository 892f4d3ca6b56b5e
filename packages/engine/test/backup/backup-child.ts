/**
 * Backs up index "t" of the data folder in argv[2] to argv[3]. Run by interrupted-backups.test.ts.
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';

const backend = await openEngine(process.argv[2], { create: true, threads: 0 });
await backend.backup({ index: 't', target: process.argv[3] });
await backend.close();
