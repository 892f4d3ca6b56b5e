import type { Access } from './access.ts';

/** The access of an open service: everybody may do everything. */
export const openAccess: Access = Object.freeze({
  isOpen: true,
  authenticate: () => undefined,
  authorize: () => undefined,
});
