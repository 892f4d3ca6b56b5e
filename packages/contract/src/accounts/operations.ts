import { ID } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import {
  checkLoginRequest,
  checkRevokeTokenRequest,
  checkSetRolesRequest,
  checkTokenDraft,
} from './check.ts';

const ADMIN_READ = { scope: 'admin', idempotent: true } as const;
const ADMIN = { scope: 'admin' } as const;

/** The operations of users, tokens and sessions. */
export const ACCOUNT_OPERATIONS = Object.freeze({
  login: operation('POST /v1/login', 'Accounts/Login', {
    scope: null,
    tenants: true,
    check: checkLoginRequest,
    example: { username: 'ann', password: 'secret' },
  }),
  listUsers: operation('GET /v1/users', 'Accounts/ListUsers', {
    ...ADMIN_READ,
    list: 'users',
    ...NO_FIELDS,
  }),
  setRoles: operation('PUT /v1/users/{subject}/roles', 'Accounts/SetRoles', {
    ...ADMIN_READ,
    check: checkSetRolesRequest,
    example: { subject: 'ann', roles: ['reader'] },
  }),
  listRoles: operation('GET /v1/roles', 'Accounts/ListRoles', {
    scope: 'index_read',
    tenants: true,
    idempotent: true,
    list: 'roles',
    ...NO_FIELDS,
  }),
  listTokens: operation('GET /v1/tokens', 'Accounts/ListTokens', {
    ...ADMIN_READ,
    list: 'tokens',
    ...NO_FIELDS,
  }),
  createToken: operation('POST /v1/tokens', 'Accounts/CreateToken', {
    ...ADMIN,
    check: checkTokenDraft,
    example: { name: 'dashboard', roles: ['reader'], indexes: ['tickets'] },
  }),
  revokeToken: operation('DELETE /v1/tokens/{id}', 'Accounts/RevokeToken', {
    ...ADMIN,
    empty: true,
    check: checkRevokeTokenRequest,
    example: ID,
  }),
});
