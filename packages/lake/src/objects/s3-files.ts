import type { FileStore } from '../base/file-store.ts';
import { CopyCache, copyCacheSettings } from './copy-cache.ts';
import { ObjectFiles } from './object-files.ts';
import type { ObjectStore } from './object-store.ts';
import type { FileAccess } from './open-files.ts';
import { S3Requests } from './s3-requests.ts';
import { type S3Settings, s3Settings } from './s3-settings.ts';
import { S3Store } from './s3-store.ts';

/** Connections of the process by their settings: a later table uses those of an earlier one. */
const CONNECTIONS = new Map<string, S3Requests>();
const MOST_CONNECTIONS = 16;

/** The files of a table on S3. Throws invalid_argument, path_refused for wrong settings. */
export function s3Files(access: FileAccess): FileStore {
  const requests = requestsOf(access);
  const buckets = {
    endpoint: requests.endpoint,
    bucket: (name: string): ObjectStore => new S3Store(requests, name),
  };
  return new ObjectFiles(buckets, new CopyCache(copyCacheSettings(access.env ?? process.env)));
}

/** The objects of a bucket whose keys begin with `prefix`. Throws invalid_argument. */
export function s3Bucket(bucket: string, prefix: string, access: FileAccess): ObjectStore {
  return new S3Store(requestsOf(access), bucket, prefix);
}

function requestsOf({ s3 = {}, env = process.env, vended = null }: FileAccess): S3Requests {
  const settings = s3Settings(s3, env, vended);
  return vended === null && env === process.env ? connection(settings) : new S3Requests(settings);
}

function connection(settings: S3Settings): S3Requests {
  const { endpoint, region, pathStyle } = settings;
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  const key = JSON.stringify([endpoint, region, pathStyle, AWS_ACCESS_KEY_ID, AWS_PROFILE]);
  const known = CONNECTIONS.get(key);
  if (known !== undefined) return known;
  const made = new S3Requests(settings);
  CONNECTIONS.set(key, made);
  if (CONNECTIONS.size > MOST_CONNECTIONS) CONNECTIONS.delete(CONNECTIONS.keys().next().value!);
  return made;
}
