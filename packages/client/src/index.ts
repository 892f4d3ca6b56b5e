export type { Backend } from '@lakehouse-search/contract';
export { type ClientOptions, createClient } from './create-client.ts';
export { REQUEST_CHECKS } from './remote/request-checks.ts';
export { decodeMessage } from './wire/decode.ts';
export { encodeMessage } from './wire/encode.ts';
export { type ErrorJson, encodeError, errorOf } from './wire/error-detail.ts';
export { docOf, type FieldPlan, fieldsOf } from './wire/field-plan.ts';
export { METHODS, serializedFiles, type WireMethod } from './wire/methods.ts';
export { ROUTES, type Route, type Verb } from './wire/routes.ts';
