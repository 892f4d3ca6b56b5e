/** Requests for aliases. */

import { name } from '../checks/shared.ts';
import { type Check, type Fields, requestOf, text } from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import type { Alias, DropAliasRequest } from './request.ts';

/** As index names. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,127}$/;

const aliasName: Check = (value, field) => {
  text(value, field);
  if (NAME.test(value as string)) return;
  const shown = JSON.stringify((value as string).slice(0, 60));
  throw new LhsError('invalid_argument', `alias ${shown} is no name: expected ${NAME.source}`);
};
const ALIAS_FIELDS: Fields<Alias> = { alias: aliasName, index: name };
/** Checks a request to set an alias. Throws invalid_argument. */
export const checkAliasRequest = requestOf<Alias>(ALIAS_FIELDS, 'alias', 'index');

/** Checks a request to drop an alias. Throws invalid_argument. */
export const checkDropAliasRequest = requestOf<DropAliasRequest>({ alias: name }, 'alias');
