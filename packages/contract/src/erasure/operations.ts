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
    member: 'erasure.check',
    scope: 'ops',
    plane: 'answers',
    idempotent: true,
    check: checkErasureCheckRequest,
    example: { ...INDEX, keys: [KEY] },
  }),
  runErasure: operation('POST /v1/erasure:run', 'Admin/RunErasure', {
    member: 'erasure.run',
    scope: 'admin',
    plane: 'answers',
    activity: 'only',
    check: checkErasureRunRequest,
    example: { ...INDEX, keys: [KEY] },
  }),
  erasureKey: operation('GET /v1/erasure/key', 'Admin/GetErasureKey', {
    member: 'erasure.key',
    ...READ,
    ...NO_FIELDS,
  }),
  verifyReceipt: operation('POST /v1/erasure:verify', 'Admin/VerifyReceipt', {
    member: 'erasure.verify',
    ...READ,
    check: checkVerifyReceiptRequest,
    example: { receipt: {} },
  }),
});
