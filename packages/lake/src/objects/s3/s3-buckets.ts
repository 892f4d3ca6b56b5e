import type { Buckets, FileAccess } from '../buckets.ts';
import { S3Requests } from './s3-requests.ts';
import { type S3Settings, s3Settings } from './s3-settings.ts';
import { S3Store } from './s3-store.ts';

/** Connections of the process by their settings: a later table uses those of an earlier one. */
const CONNECTIONS = new Map<string, S3Requests>();
const MOST_CONNECTIONS = 16;

/** The buckets of an S3 endpoint. Throws invalid_argument, path_refused for wrong settings. */
export function s3Buckets(access: FileAccess): Buckets {
  const requests = requestsOf(access);
  return Object.freeze({
    endpoint: requests.endpoint,
    bucket: (name: string, prefix = '') => new S3Store(requests, name, prefix),
  });
}

function requestsOf({ s3 = {}, env = process.env, vended = null }: FileAccess): S3Requests {
  const settings = s3Settings(s3, env, vended);
  return vended === null && env === process.env ? connection(settings) : new S3Requests(settings);
}

function connection(settings: S3Settings): S3Requests {
  const { endpoint, region, pathStyle } = settings;
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  const names = [AWS_ACCESS_KEY_ID, AWS_PROFILE, settings.isUnsigned];
  const key = JSON.stringify([endpoint, region, pathStyle, ...names]);
  const known = CONNECTIONS.get(key);
  if (known !== undefined) return known;
  const made = new S3Requests(settings);
  CONNECTIONS.set(key, made);
  if (CONNECTIONS.size > MOST_CONNECTIONS) CONNECTIONS.delete(CONNECTIONS.keys().next().value!);
  return made;
}
