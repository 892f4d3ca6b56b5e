/**
 * Compacts a table, then forgets its old snapshots and removes their files:
 * `node sync/compact-and-expire-child.ts CONFIG`.
 */

import type { TableConfig } from '@lakehouse-search/lake';
import { compactTable, expireSnapshots } from '../../../../test/support/maintenance/index.ts';

const config = JSON.parse(process.argv[2]) as TableConfig;
await compactTable(config);
await expireSnapshots(config, Date.now() + 1000, { deleteFiles: true });
