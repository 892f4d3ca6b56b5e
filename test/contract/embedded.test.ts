import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { contractSuite } from './contract-suite.ts';

contractSuite('the embedded engine', () =>
  openEngine(mkdtempSync(join(tmpdir(), 'lhs-contract-data-')), { create: true, threads: 0 }),
);
