import { ID } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import {
  checkLoginRequest,
  checkRevokeTokenRequest,
  checkSetRolesRequest,
  checkTokenDraft,
} from './check.ts';

const ADMIN = { scope: 'admin' } as const;
const REPEATABLE = { ...ADMIN, idempotent: true } as const;

/** The operations of users, tokens and sessions. */
export const ACCOUNT_OPERATIONS = Object.freeze({
  login: operation('POST /v1/login', 'Accounts/Login', {
    member: 'accounts.login',
    scope: null,
    tenants: true,
    check: checkLoginRequest,
    example: { username: 'ann', password: 'secret' },
  }),
  listUsers: operation('GET /v1/users', 'Accounts/ListUsers', {
    member: 'accounts.listUsers',
    ...REPEATABLE,
    list: 'users',
    ...NO_FIELDS,
  }),
  setRoles: operation('PUT /v1/users/{subject}/roles', 'Accounts/SetRoles', {
    member: 'accounts.setRoles',
    ...REPEATABLE,
    check: checkSetRolesRequest,
    example: { subject: 'ann', roles: ['reader'] },
  }),
  listRoles: operation('GET /v1/roles', 'Accounts/ListRoles', {
    member: 'accounts.listRoles',
    scope: 'index_read',
    tenants: true,
    idempotent: true,
    list: 'roles',
    ...NO_FIELDS,
  }),
  listTokens: operation('GET /v1/tokens', 'Accounts/ListTokens', {
    member: 'accounts.listTokens',
    ...REPEATABLE,
    list: 'tokens',
    ...NO_FIELDS,
  }),
  createToken: operation('POST /v1/tokens', 'Accounts/CreateToken', {
    member: 'accounts.createToken',
    ...ADMIN,
    check: checkTokenDraft,
    example: { name: 'dashboard', roles: ['reader'], indexes: ['tickets'] },
  }),
  revokeToken: operation('DELETE /v1/tokens/{id}', 'Accounts/RevokeToken', {
    member: 'accounts.revokeToken',
    ...ADMIN,
    empty: true,
    check: checkRevokeTokenRequest,
    example: ID,
  }),
});
