// Search in a worker thread of your own.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openLocal } from '@lakehouse-search/engine';
import { fillIncidents } from './lake-table.ts';

if (isMainThread) {
  const dataDir = process.argv[2] ?? 'data';
  await fillIncidents(dataDir);
  const worker = new Worker(new URL(import.meta.url), { workerData: dataDir });
  worker.on('message', (total: number) => console.log(total, 'hits'));
} else {
  const backend = await openLocal(workerData as string, { threads: 0 });
  const { total } = await backend.search({ index: 'incidents', query: 'timeout' });
  parentPort?.postMessage(total);
  await backend.close();
}
