/** Requests for the windows of an index. */
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, requestOf } from '../checks/values.ts';
import type { ReindexWindowRequest } from './request.ts';

const WINDOW_FIELDS: Fields<ReindexWindowRequest> = { ...INDEX_FIELDS, window: name };
/** Checks a request to build a window again. Throws invalid_argument. */
export const checkReindexWindowRequest = requestOf<ReindexWindowRequest>(WINDOW_FIELDS, 'window');
