/** Requests about the service as a whole. */
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, requestOf, whole } from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { ActivityRequest, RoutingRequest } from './request.ts';

const ACTIVITY_FIELDS: Fields<ActivityRequest> = {
  ...INDEX_FIELDS,
  limit: whole(1, REQUEST_LIMITS.listedJobs),
};
/** Checks a request for recent activity. Throws invalid_argument or limit_exceeded. */
export const checkActivityRequest = requestOf<ActivityRequest>(ACTIVITY_FIELDS);

/** Checks a request for the routing of an index. Throws invalid_argument. */
export const checkRoutingRequest = requestOf<RoutingRequest>({ index: name }, 'index');
