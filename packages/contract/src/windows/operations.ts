import { checkIndexRequest } from '../checks/shared.ts';
import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkMoveWindowsRequest, checkReindexWindowRequest } from './check.ts';

/** The operations of windows. */
export const WINDOW_OPERATIONS = Object.freeze({
  windowStatus: operation('GET /v1/cold', 'Admin/WindowStatus', {
    member: 'windows.status',
    scope: 'index_read',
    nodes: 'having',
    idempotent: true,
    check: checkIndexRequest,
    example: INDEX,
  }),
  reindexWindow: operation('POST /v1/window:reindex', 'Admin/ReindexWindow', {
    member: 'windows.reindex',
    scope: 'admin',
    nodes: 'having',
    plane: 'answers',
    activity: 'only',
    check: checkReindexWindowRequest,
    example: { ...INDEX, window: '2026-11' },
  }),
  moveWindows: operation('POST /v1/window:move', 'Admin/MoveWindows', {
    member: 'windows.move',
    scope: 'ops',
    nodes: 'having',
    plane: 'answers',
    activity: 'only',
    check: checkMoveWindowsRequest,
    example: { ...INDEX, cool: ['2026-01'], warm: [] },
  }),
});
