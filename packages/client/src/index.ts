export type { Backend } from '@lakehouse-search/contract';
export { ROUTES, type Route, type Verb } from './wire/routes.ts';
