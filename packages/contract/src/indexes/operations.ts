import { checkIndexRequest } from '../checks/shared.ts';
import { DEFINITION, INDEX } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import {
  checkAlterRequest,
  checkCreateIndexRequest,
  checkDropIndexRequest,
  checkExportRequest,
  checkMoveBucketRequest,
  checkRehearseRequest,
  checkRenameIndexRequest,
  checkReshardRequest,
  checkRollbackRequest,
  checkValidateRequest,
} from './check.ts';

const ADMIN = { scope: 'admin', plane: 'answers' } as const;

/** The operations of indexes and their definitions. */
export const INDEX_OPERATIONS = Object.freeze({
  exportDocuments: operation('POST /v1/index:export', 'Lookup/Export', {
    scope: 'search',
    tenants: true,
    idempotent: true,
    stream: 'responses',
    check: checkExportRequest,
    example: INDEX,
  }),
  createIndex: operation('POST /v1/indexes', 'Admin/CreateIndex', {
    ...ADMIN,
    check: checkCreateIndexRequest,
    example: { definition: DEFINITION },
  }),
  listIndexes: operation('GET /v1/indexes', 'Admin/ListIndexes', {
    scope: 'index_read',
    plane: 'answers',
    idempotent: true,
    list: 'indexes',
    ...NO_FIELDS,
  }),
  describeIndex: operation('POST /v1/index:describe', 'Admin/DescribeIndex', {
    scope: 'index_read',
    tenants: true,
    nodes: 'answering',
    idempotent: true,
    check: checkIndexRequest,
    example: INDEX,
  }),
  alterIndex: operation('POST /v1/index:alter', 'Admin/AlterIndex', {
    ...ADMIN,
    check: checkAlterRequest,
    example: { ...INDEX, definition_yaml: DEFINITION, apply: false },
  }),
  rollbackIndex: operation('POST /v1/index:rollback', 'Admin/RollbackIndex', {
    scope: 'admin',
    nodes: 'each',
    plane: 'refuses',
    check: checkRollbackRequest,
    example: INDEX,
  }),
  planReshard: operation('POST /v1/index:plan-reshard', 'ControlPlane/PlanReshard', {
    scope: 'ops',
    plane: 'answers',
    idempotent: true,
    check: checkReshardRequest,
    example: { ...INDEX, shards: 3 },
  }),
  applyReshard: operation('POST /v1/index:reshard', 'ControlPlane/ApplyReshard', {
    ...ADMIN,
    check: checkReshardRequest,
    example: { ...INDEX, shards: 3 },
  }),
  moveBucket: operation('POST /v1/index:move-bucket', 'ControlPlane/MoveBucket', {
    ...ADMIN,
    check: checkMoveBucketRequest,
    example: { ...INDEX, bucket: 17, shard: 1 },
  }),
  rehearseAlter: operation('POST /v1/index:rehearse', 'Admin/RehearseAlter', {
    scope: 'admin',
    nodes: 'owner',
    idempotent: true,
    check: checkRehearseRequest,
    example: { ...INDEX, definition_yaml: DEFINITION, sample: 1000 },
  }),
  dropIndex: operation('DELETE /v1/indexes/{index}', 'Admin/DropIndex', {
    scope: 'admin',
    nodes: 'each',
    plane: 'answers',
    check: checkDropIndexRequest,
    example: INDEX,
  }),
  renameIndex: operation('POST /v1/index:rename', 'Admin/RenameIndex', {
    scope: 'admin',
    check: checkRenameIndexRequest,
    example: { ...INDEX, name: 'support-tickets' },
  }),
  validateDefinition: operation('POST /v1/definition:validate', 'Admin/ValidateDefinition', {
    scope: 'index_read',
    nodes: 'any',
    plane: 'answers',
    idempotent: true,
    list: 'issues',
    check: checkValidateRequest,
    example: { definition: DEFINITION },
  }),
});
