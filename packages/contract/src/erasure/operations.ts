import { INDEX, KEY } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import {
  checkErasureCheckRequest,
  checkErasureRunRequest,
  checkVerifyReceiptRequest,
} from './check.ts';

const READ = { scope: 'index_read', plane: 'answers', idempotent: true } as const;

/** The operations of erasures. */
export const ERASURE_OPERATIONS = Object.freeze({
  checkErasure: operation('POST /v1/erasure:check', 'Admin/CheckErasure', {
    scope: 'ops',
    plane: 'answers',
    idempotent: true,
    check: checkErasureCheckRequest,
    example: { ...INDEX, keys: [KEY] },
  }),
  runErasure: operation('POST /v1/erasure:run', 'Admin/RunErasure', {
    scope: 'admin',
    plane: 'answers',
    check: checkErasureRunRequest,
    example: { ...INDEX, keys: [KEY] },
  }),
  erasureKey: operation('GET /v1/erasure/key', 'Admin/GetErasureKey', {
    ...READ,
    ...NO_FIELDS,
  }),
  verifyReceipt: operation('POST /v1/erasure:verify', 'Admin/VerifyReceipt', {
    ...READ,
    check: checkVerifyReceiptRequest,
    example: { receipt: {} },
  }),
});
