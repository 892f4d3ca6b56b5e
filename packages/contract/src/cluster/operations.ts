import { INDEX } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import { checkActivityRequest, checkRoutingRequest } from './check.ts';

const OPEN_READ = {
  scope: 'index_read',
  tenants: true,
  plane: 'answers',
  idempotent: true,
} as const;
const READ = { scope: 'index_read', idempotent: true } as const;

/** The operations of the service as a whole. */
export const CLUSTER_OPERATIONS = Object.freeze({
  getRouting: operation('GET /v1/indexes/{index}', 'Admin/GetIndex', {
    member: 'cluster.routing',
    ...OPEN_READ,
    check: checkRoutingRequest,
    example: INDEX,
  }),
  listIngestion: operation('GET /v1/ingestion', 'Admin/ListIngestion', {
    member: 'cluster.ingestion',
    ...READ,
    list: 'indexes',
    ...NO_FIELDS,
  }),
  activity: operation('POST /v1/index:activity', 'Admin/ListActivity', {
    member: 'cluster.activity',
    ...READ,
    list: 'activity',
    check: checkActivityRequest,
    example: { ...INDEX, limit: 10 },
  }),
  license: operation('GET /v1/license', 'System/GetLicense', {
    member: 'cluster.license',
    ...OPEN_READ,
    ...NO_FIELDS,
  }),
  consoleConfig: operation('GET /v1/config', 'System/GetConfig', {
    member: 'cluster.consoleConfig',
    ...OPEN_READ,
    ...NO_FIELDS,
  }),
});
