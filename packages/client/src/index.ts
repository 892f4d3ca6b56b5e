export type { Backend } from '@lakehouse-search/contract';
export { decodeMessage } from './wire/decode.ts';
export { encodeMessage } from './wire/encode.ts';
export { type FieldPlan, fieldsOf } from './wire/field-plan.ts';
export { DESCRIPTOR_FILES, METHODS, type WireMethod } from './wire/methods.ts';
export { ROUTES, type Route, type Verb } from './wire/routes.ts';
