import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocal } from '@lakehouse-search/engine';
import { contractSuite } from './contract-suite.ts';

contractSuite('the embedded engine', () =>
  openLocal(mkdtempSync(join(tmpdir(), 'lhs-contract-data-')), { create: true, threads: 0 }),
);
