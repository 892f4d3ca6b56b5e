import type {
  CallContext,
  ErasureCheckRequest,
  ErasureKey,
  ErasureReport,
  ErasureResponse,
  ErasureRunRequest,
  ListRequest,
  ReceiptVerdict,
  VerifyReceiptRequest,
} from '@lakehouse-search/contract';
import {
  checkErasureCheckRequest,
  checkErasureRunRequest,
  checkListRequest,
  checkVerifyReceiptRequest,
} from '@lakehouse-search/contract/internal';
import {
  checkErasure,
  type ErasurePlaces,
  type ErasureSubject,
  jobBeside,
} from '../../erase/check-erasure.ts';
import { readPublicKey, signReceipt, verifyReceipt } from '../../erase/receipt.ts';
import { existingReceiptKey, publicPem, receiptKey } from '../../erase/receipt-key.ts';
import { runErasure } from '../../erase/run-erasure.ts';
import { pruneRepository } from '../../home/prune.ts';
import { openRepository } from '../../home/repository.ts';
import { keyId } from '../../home/signing-key.ts';
import { inlineRunner } from '../../index/merges/merge-runners.ts';
import { mergesInThreads, runInThread } from '../../index/merges/merge-threads.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { backupLocal } from './backups.ts';
import { buildRunning, openTableOf, timed, withLock } from './write-index.ts';

const ERASE = Object.freeze({ what: 'erase from', afresh: true });

/** Checks where data of rows remains. Throws as `checkErasure`. */
export async function checkErasureLocal(
  indexes: LocalIndexes,
  value: ErasureCheckRequest,
  call: CallContext,
): Promise<ErasureReport> {
  const request = checkErasureCheckRequest(value);
  const known = accessible(indexes, request.index, call);
  return withPlaces(indexes, known, request, call, async (places) => {
    return (await checkErasure(places, subjectOf(request), call)).report;
  });
}

/** Erases and signs a receipt. Throws as `runErasure`, and index_busy while a job runs. */
export async function runErasureLocal(
  indexes: LocalIndexes,
  value: ErasureRunRequest,
  work: CallContext,
): Promise<ErasureResponse> {
  const request = checkErasureRunRequest(value);
  const known = accessible(indexes, request.index, work);
  const { registered } = known;
  const { index, close_pits: closePits = false, replace_backups: replaceBackups = false } = request;
  const { clock } = indexes;
  const beside = mergesInThreads(indexes.openDirectory);
  return timed(() =>
    withPlaces(indexes, known, request, work, async (places) => {
      const { statement, report, actions } = await runErasure(places, subjectOf(request), {
        ...work,
        closePits,
        replaceBackups,
        runner: (directory) => (beside ? runInThread : inlineRunner(directory)),
        locked: (inner) =>
          withLock(indexes, registered, { ...ERASE, signal: work.signal }, (lock) => {
            const job = jobBeside(indexes.registry, registered.uuid);
            if (job !== undefined) throw buildRunning('erase from', registered.name, job);
            return inner(lock);
          }),
        forget: () => indexes.forget(registered.uuid),
        backUp: (target) => backupLocal(indexes, { index, target }, { ...work, afresh: true }),
        removeBackups: async (target, also) => {
          const home = await openRepository(target, false, work.signal);
          if (home === null) return 0;
          const keep = Number.MAX_SAFE_INTEGER;
          const options = { ...work, keep, isOurs: () => true, also, clock };
          return (await pruneRepository(home, options)).backups_removed.length;
        },
      });
      const receipt = signReceipt(statement, receiptKey(indexes.dataDir));
      return { report, actions, receipt };
    }),
  );
}

/** The public key of this data folder's receipts. */
export async function erasureKeyLocal(
  { dataDir }: LocalIndexes,
  request: ListRequest | undefined,
): Promise<ErasureKey> {
  checkListRequest(request);
  const key = receiptKey(dataDir);
  return { key_id: keyId(key), public_key: publicPem(key) };
}

/** Verifies a receipt with a public key, or with the key of this data folder. */
export async function verifyReceiptLocal(
  { dataDir }: LocalIndexes,
  value: VerifyReceiptRequest,
): Promise<ReceiptVerdict> {
  const { receipt, public_key: pem, keys } = checkVerifyReceiptRequest(value);
  const key = readPublicKey(pem ?? publicPem(existingReceiptKey(dataDir)));
  return verifyReceipt(receipt, key, keys);
}

const subjectOf = ({ keys, texts = [], deep = false }: ErasureCheckRequest): ErasureSubject => {
  return { keys, texts, deep };
};

async function withPlaces<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  { backups = [] }: ErasureCheckRequest,
  { signal }: CallContext,
  work: (places: ErasurePlaces) => Promise<T>,
): Promise<T> {
  const { dataDir, registry, openDirectory, clock, backupTarget } = indexes;
  const table = await openTableOf(known, signal);
  const own = backupTarget === undefined ? [] : [backupTarget];
  await indexes.writers.end(known.registered.uuid);
  try {
    return await work({
      ...{ dataDir, registry, openDirectory, known, table },
      backups: [...new Set([...own, ...backups])],
      now: () => clock.now(),
    });
  } finally {
    await table.close();
  }
}
