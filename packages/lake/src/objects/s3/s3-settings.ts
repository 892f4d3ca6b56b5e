import { LakeError } from '../../base/errors.ts';
import { shownUri } from '../../base/secrets.ts';
import type { SdkCredentials } from './s3-sdk.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How an S3 endpoint is reached. What is not set comes from the AWS profile files. */
export interface S3Settings {
  readonly endpoint?: string;
  readonly region?: string;
  /** Whether the bucket is in the path instead of the host name. Default: with an endpoint. */
  readonly pathStyle?: boolean;
  /** Credentials, requested again when they expire; default: those of the AWS chain. */
  readonly credentials?: () => Promise<SdkCredentials>;
  /** Requests are not signed: the bucket is public. */
  readonly isUnsigned?: boolean;
}

/** What a definition's `s3` or a caller sets. A type, not an interface: it is plain JSON. */
export type S3Config = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly path_style?: boolean;
};

/** Settings that a REST catalog sent for a table, and how to ask for them again. */
export interface VendedSettings {
  readonly config: Readonly<Record<string, string>>;
  /** The settings that the catalog returns for the objects. */
  readonly endpoint?: string | undefined;
  renew(): Promise<Readonly<Record<string, string>>>;
}

/**
 * The settings of a table. The user's configuration comes first, then the environment, then what a
 * catalog sent. A catalog's endpoint is used with its own credentials only. Throws
 * invalid_argument for a wrong endpoint, path_refused for a link-local one that a catalog sent.
 */
export function s3Settings(
  config: S3Config,
  env: Environment,
  vended: VendedSettings | null,
): S3Settings {
  const sent = vended?.config ?? {};
  const own = config.endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const issued = vended === null ? null : issuedCredentials(vended);
  const endpoint = own ?? (issued === null ? undefined : sentEndpoint(vended?.endpoint));
  const region = config.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? regionOf(sent);
  const pathStyle =
    config.path_style ??
    switchOf(env.LHS_S3_PATH_STYLE) ??
    switchOf(sent['s3.path-style-access']) ??
    endpoint !== undefined;
  const credentials = issued ?? environmentCredentials(env);
  const isUnsigned = issued === null && switchOf(env.AWS_NO_SIGN_REQUEST) === true;
  return {
    ...(endpoint === undefined ? {} : { endpoint: checkedEndpoint(endpoint) }),
    ...(region === undefined ? {} : { region }),
    pathStyle,
    ...(credentials === null ? {} : { credentials }),
    ...(isUnsigned ? { isUnsigned } : {}),
  };
}

const regionOf = (sent: Readonly<Record<string, string>>) =>
  sent['client.region'] ?? sent['s3.region'];

function switchOf(text: string | undefined): boolean | undefined {
  return text === undefined || text === '' ? undefined : /^(1|true|yes|on)$/i.test(text);
}

/** The keys of the environment. A profile that is named there takes precedence. */
function environmentCredentials(env: Environment): (() => Promise<SdkCredentials>) | null {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY || AWS_PROFILE) return null;
  const keys = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const token = AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {};
  return async () => ({ ...keys, ...token });
}

/** Credentials that a catalog issues; the first are those that came with the table. */
function issuedCredentials(vended: VendedSettings): (() => Promise<SdkCredentials>) | null {
  if (keysOf(vended.config) === null) return null;
  let first: SdkCredentials | null = keysOf(vended.config);
  return async () => {
    const keys = first ?? keysOf(await vended.renew());
    first = null;
    if (keys !== null) return keys;
    throw new LakeError(
      'permission_denied',
      'the catalog no longer issues credentials for the storage of this table',
    );
  };
}

function keysOf(config: Readonly<Record<string, string>>): SdkCredentials | null {
  const accessKeyId = config['s3.access-key-id'];
  const secretAccessKey = config['s3.secret-access-key'];
  const sessionToken = config['s3.session-token'];
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.parse(endpoint);
  const fit = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (fit) return endpoint.replace(/\/+$/, '');
  throw new LakeError(
    'invalid_argument',
    `s3 endpoint "${shownUri(endpoint)}" is not an http or https address without a user name; ` +
      'see AWS_ENDPOINT_URL_S3 or "s3.endpoint" of the source',
  );
}

/** Addresses of machine metadata services. A server must not send us there. */
const LINK_LOCAL = /^(169\.254\.|\[fe[89ab]|\[fd00:ec2:|\[::ffff:(169\.254|a9fe)|metadata\.)/i;

function sentEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  const host = URL.parse(checkedEndpoint(endpoint))!.hostname;
  if (!LINK_LOCAL.test(host)) return endpoint;
  throw new LakeError(
    'path_refused',
    `the catalog sends us to the link-local s3 endpoint "${endpoint}"; ` +
      'set AWS_ENDPOINT_URL_S3 yourself if that is right',
  );
}
