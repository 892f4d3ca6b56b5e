/** Parts of the requests that the description of the interface shows. */

export const INDEX = { index: 'tickets' };
export const JOB = { job_id: '0198f2d4-7c1e-7b3a-9f57-3d8f4b8f1c2a' };
export const ID = { id: '0198f2d4-8a10-7d62-8a31-6a2b7c9d0e1f' };
export const CATALOG = { type: 'filesystem', warehouse: '/lake' };
export const SOURCE = { catalog: CATALOG, table: 'ops.tickets' };
export const KEY = { identifier: [{ name: 'id', value: '7' }] };
export const STATE = { snapshot_id: '42', sequence: '7', schema: {}, files: [] };
export const DEFINITION = `version: 1
index: tickets
source: { catalog: { type: filesystem, warehouse: /lake }, table: ops.tickets }
fields:
  - { name: title, type: TEXT, cached: true }
`;
