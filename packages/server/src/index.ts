export type * from './access/access.ts';
export { openAccess } from './access/open-access.ts';
export { REQUIRED_SCOPES } from './access/scopes.ts';
export { createGateway, type Gateway } from './gateway/gateway.ts';
export type * from './gateway/gateway-options.ts';
export type * from './limits/admission.ts';
export type * from './observe/observer.ts';
export { openStore, type Store, type StoreLocation } from './store/open-store.ts';
