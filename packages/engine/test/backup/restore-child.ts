/** Restores "again" into the data folder in argv[2] from argv[3]. Run by killed-restores.test.ts. */
import { openEngine } from '@lakehouse-search/engine/local/internal';

const backend = await openEngine(process.argv[2], { create: true, threads: 0 });
await backend.restore({ target: process.argv[3], as: 'again', aliases: 'none' });
await backend.close();
