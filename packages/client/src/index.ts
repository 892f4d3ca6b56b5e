export type { Backend } from '@lakehouse-search/contract';
