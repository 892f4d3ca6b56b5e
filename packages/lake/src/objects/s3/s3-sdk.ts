import { loadSdk } from '../load-sdk.ts';

/**
 * The part of `@aws-sdk/client-s3` that is used here. The package is loaded at the first request of
 * an object: commands on local tables do not load it. Its own types are not imported, because the
 * package is optional.
 */
export interface S3Sdk {
  readonly S3Client: new (config: object) => SdkClient;
  readonly HeadObjectCommand: SdkCommand;
  readonly GetObjectCommand: SdkCommand;
  readonly PutObjectCommand: SdkCommand;
  readonly ListObjectsV2Command: SdkCommand;
  readonly DeleteObjectsCommand: SdkCommand;
  readonly CreateMultipartUploadCommand: SdkCommand;
  readonly UploadPartCommand: SdkCommand;
  readonly CompleteMultipartUploadCommand: SdkCommand;
  readonly AbortMultipartUploadCommand: SdkCommand;
}

/** A request of one kind. */
export type SdkCommand = new (input: object) => object;

/** A client with its settings. */
export interface SdkClient {
  readonly config: {
    credentials(): Promise<SdkCredentials>;
    region(): Promise<string>;
  };
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<SdkAnswer>;
  destroy(): void;
}

/** The credentials that sign a request. */
export interface SdkCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** The fields of answers that are read here. */
export interface SdkAnswer {
  readonly Body?: AsyncIterable<Uint8Array> & { destroy?(error?: Error): void };
  readonly ContentLength?: number;
  readonly ContentRange?: string;
  readonly ETag?: string;
  readonly UploadId?: string;
  readonly NextContinuationToken?: string;
  readonly CommonPrefixes?: readonly { readonly Prefix?: string }[];
  readonly Contents?: readonly {
    readonly Key?: string;
    readonly Size?: number;
    readonly ETag?: string;
  }[];
  readonly Errors?: readonly { readonly Key?: string; readonly Code?: string }[];
}

/** Loads the package. Throws unsupported if it is not installed. */
export const loadS3Sdk = (): Promise<S3Sdk> => loadSdk<S3Sdk>('@aws-sdk/client-s3', 's3://');
