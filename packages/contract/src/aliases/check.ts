/** Requests for aliases. */

import { name, newName } from '../checks/shared.ts';
import { type Fields, requestOf } from '../checks/values.ts';
import type { Alias, DropAliasRequest } from './request.ts';

const ALIAS_FIELDS: Fields<Alias> = { alias: newName, index: name };
/** Checks a request to set an alias. Throws invalid_argument. */
export const checkAliasRequest = requestOf<Alias>(ALIAS_FIELDS, 'alias', 'index');

/** Checks a request to drop an alias. Throws invalid_argument. */
export const checkDropAliasRequest = requestOf<DropAliasRequest>({ alias: name }, 'alias');
