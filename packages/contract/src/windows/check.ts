/** Requests for the windows of an index. */
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, flag, list, requestOf } from '../checks/values.ts';
import type { MoveWindowsRequest, ReindexWindowRequest } from './request.ts';

const MOST_WINDOWS = 1000;

const WINDOW_FIELDS: Fields<ReindexWindowRequest> = { ...INDEX_FIELDS, window: name };
/** Checks a request to build a window again. Throws invalid_argument. */
export const checkReindexWindowRequest = requestOf<ReindexWindowRequest>(WINDOW_FIELDS, 'window');

const windows = list(name, MOST_WINDOWS);
const MOVE_FIELDS: Fields<MoveWindowsRequest> = {
  ...INDEX_FIELDS,
  cool: windows,
  warm: windows,
  apply: flag,
};
/** Checks a request to move windows between the tiers. Throws invalid_argument. */
export const checkMoveWindowsRequest = requestOf<MoveWindowsRequest>(MOVE_FIELDS);
