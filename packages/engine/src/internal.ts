/** What only our own packages use. No release keeps it. */
export {
  type ClockInterval,
  clockBucket,
  nextClockStart,
  zoneOffsets,
} from './aggregate/histogram/calendar.ts';
export { locationUrl } from './base/location-url.ts';
export { inTurns, mapInTurns, pauses } from './base/turns.ts';
export {
  checkModel,
  describeModel,
  type GoldenCheck,
  type ListedModel,
  listModels,
  type ModelCheck,
  type ModelDescription,
  transformerInstall,
} from './embed/models.ts';
export { mentionsOf, textsOfJson } from './erase/erased-keys.ts';
export {
  readPublicKey,
  signReceipt,
  verifyReceipt,
  verifyReceiptOffline,
} from './erase/receipt.ts';
export { publicPem } from './erase/receipt-key.ts';
export { requireErasable } from './erase/require-erasable.ts';
export * from './home/cluster-backups.ts';
export type { SigningOptions } from './home/manifest.ts';
export { keyId } from './home/signing-key.ts';
export { contentDigest } from './index/commits/content-digest.ts';
export { isRestrictionsChanged } from './index/commits/source-identity.ts';
export { type IndexSnapshot, openSnapshot } from './index/index-snapshot.ts';
export {
  answerParts,
  answerText,
  type CachedParts,
  textOfParts,
} from './local/cache/answer-text.ts';
export type { RepeatedRequest } from './local/cache/recall.ts';
export type { RunTasks } from './local/jobs/build-by-tasks.ts';
export type { EngineOptions } from './local/local-options.ts';
export type * from './local/node/node-reads.ts';
export { lockDataFolder } from './local/served-folder.ts';
export { notBuilt } from './open/open-index.ts';
export type * from './remote/diff-remote.ts';
export * from './remote/remote-commit.ts';
export * from './remote/remote-read.ts';
export { definitionDigest, rowsDigest } from './schema/definition-digest.ts';
export { idOf } from './schema/keys/key.ts';
export { readingYaml } from './schema/parse/bounded-yaml.ts';
export { readCatalogFile } from './schema/parse/resolve-catalog.ts';
export {
  definitionAt,
  homePlace,
  registeredDefinition,
} from './schema/parse/resolve-definition.ts';
export { renameDefinition, withStorage } from './schema/rename-definition.ts';
export { type BucketMap, shardTable } from './schema/sharding/bucket-map.ts';
export { balancedTable } from './schema/sharding/bucket-plan.ts';
export { type BuiltTotals, reshardPlan } from './schema/sharding/reshard-plan.ts';
export { carrySharding, withBucketIn, withSharding } from './schema/sharding/with-sharding.ts';
export {
  type AnswerOf,
  answerBytes,
  decodeAnswer,
  encodeRequest,
  type RequestOf,
  shardFrom,
  shardOver,
} from './shard/bytes.ts';
export { requireTenants } from './shard/request/tenant-filter.ts';
export type { Shard, ShardOperation } from './shard/shard.ts';
export { LOCAL_SOURCE } from './source/local-source.ts';
export { sourceError, unlessAborted } from './source/source-errors.ts';
export { keepHeapsSmall } from './storage/free-memory.ts';
export { isUnwritable } from './storage/io-errors.ts';
export { loadKoffi } from './storage/load-koffi.ts';
export { openLocalDirectory } from './storage/local-directory.ts';
export { syncFolder } from './storage/make-folder.ts';
export { BUILD_MEMORY, NODE_MEMORY } from './sync/build/build-resources.ts';
export { PUBLISH_MS } from './sync/follow/follow-pace.ts';
