import type { Role, RoleName, Scope } from '@lakehouse-search/contract';

/** What each role permits. */
export const ROLE_SCOPES: Readonly<Record<RoleName, readonly Scope[]>> = Object.freeze({
  reader: Object.freeze(['search', 'index_read'] as const),
  operator: Object.freeze(['index_read', 'ops'] as const),
  admin: Object.freeze(['search', 'index_read', 'ops', 'admin'] as const),
});

/** The roles and their scopes, as `GET /v1/roles` returns them. */
export const ROLES: readonly Role[] = Object.freeze(
  Object.entries(ROLE_SCOPES).map(([role, scopes]) => ({ role: role as RoleName, scopes })),
);

/** The scopes of roles, each once; names that are no roles permit nothing. */
export function scopesOf(roles: readonly string[]): readonly Scope[] {
  const scopes = roles.flatMap((role) =>
    Object.hasOwn(ROLE_SCOPES, role) ? ROLE_SCOPES[role as RoleName] : [],
  );
  return [...new Set(scopes)];
}
