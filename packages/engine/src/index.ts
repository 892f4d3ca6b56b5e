export type * from './backend.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorPlace,
  errorBody,
  LhsError,
} from './base/errors.ts';
