/** What programs that embed the engine use. */
export type * from '@lakehouse-search/contract';
export {
  defineIndex,
  ERROR_CODES,
  errorBody,
  LhsError,
  q,
  typed,
} from '@lakehouse-search/contract';
export type { IndexFinding, IndexUsage, ReadUsage } from './local/diagnose/findings.ts';
export type { LocalOptions } from './local/open-options.ts';
export type { SourceLayout } from './local/source-layout.ts';
export { type LocalBackend, openLocal } from './open-local.ts';
export type * from './schema/definition.ts';
export type { Definition } from './schema/definition.ts';
export { formatKey, type KeySpec, parseKey } from './schema/keys/key.ts';
export { definitionJsonSchema } from './schema/parse/json-schema.ts';
