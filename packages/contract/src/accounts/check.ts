/** Requests for users, roles, tokens and sessions. */
import { name, names } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  list,
  oneOf,
  requestOf,
  textUpTo,
  wrong,
} from '../checks/values.ts';
import type { LoginRequest, RevokeTokenRequest, SetRolesRequest, TokenDraft } from './request.ts';

/** Longer passwords would cost time to hash. */
const PASSWORD_BYTES = 1024;

const roles: Check = list(oneOf('reader', 'operator', 'admin'), 3);
const instant: Check = (value, field) => {
  const valid = typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
  if (valid && !Number.isNaN(Date.parse(value))) return;
  throw wrong(field, value, 'a time in UTC like "2026-12-31T00:00:00Z"');
};

const LOGIN_FIELDS: Fields<LoginRequest> = { username: name, password: textUpTo(PASSWORD_BYTES) };
/** Checks a request for a session. Throws invalid_argument or limit_exceeded. */
export const checkLoginRequest = requestOf<LoginRequest>(LOGIN_FIELDS, 'username', 'password');

const ROLES_FIELDS: Fields<SetRolesRequest> = { subject: name, roles };
/** Checks a request to set the roles of a user. Throws invalid_argument. */
export const checkSetRolesRequest = requestOf<SetRolesRequest>(ROLES_FIELDS, 'subject', 'roles');

/** An empty tenant would be the rows whose tenant is an empty text, which nobody means. */
const tenant: Check = (value, field) => {
  name(value, field);
  if (value === '') throw wrong(field, value, 'the name of a tenant; leave it out for all rows');
};

const TOKEN_FIELDS: Fields<TokenDraft> = {
  name,
  roles,
  indexes: names,
  tenant,
  expires_at: instant,
};
/** Checks a request for a new API token. Throws invalid_argument or limit_exceeded. */
export const checkTokenDraft = requestOf<TokenDraft>(TOKEN_FIELDS, 'name', 'roles');

/** Checks a request to revoke an API token. Throws invalid_argument. */
export const checkRevokeTokenRequest = requestOf<RevokeTokenRequest>({ id: name }, 'id');
