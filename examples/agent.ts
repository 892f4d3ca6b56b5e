// Tools for an agent over standard input and output, with the indexes of a data folder.
import { openLocal } from '@lakehouse-search/engine';
import { serveStdio } from '@lakehouse-search/mcp';

const backend = await openLocal(process.argv[2] ?? 'data');
const { ended } = await serveStdio(
  { backend, version: '1.0.0' },
  { input: process.stdin, output: process.stdout, report: console.error },
);
await ended;
await backend.close();
