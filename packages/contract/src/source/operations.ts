import { CATALOG, SOURCE } from '../examples.ts';
import { operation } from '../operation.ts';
import {
  checkDescribeSourceRequest,
  checkInitDefinitionRequest,
  checkListTablesRequest,
} from './check.ts';

const READ = { scope: 'index_read', nodes: 'any', plane: 'answers', idempotent: true } as const;

/** The operations of tables. */
export const SOURCE_OPERATIONS = Object.freeze({
  describeSource: operation('POST /v1/source:describe', 'Admin/DescribeSource', {
    member: 'sources.describe',
    ...READ,
    check: checkDescribeSourceRequest,
    example: { source: SOURCE },
  }),
  listTables: operation('POST /v1/source:tables', 'Admin/ListTables', {
    member: 'sources.tables',
    ...READ,
    check: checkListTablesRequest,
    example: { catalog: CATALOG },
  }),
  initDefinition: operation('POST /v1/source:init', 'Admin/InitDefinition', {
    member: 'sources.initDefinition',
    ...READ,
    check: checkInitDefinitionRequest,
    example: { source: SOURCE, name: 'tickets' },
  }),
});
