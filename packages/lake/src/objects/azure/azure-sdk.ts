import { loadSdk } from '../load-sdk.ts';

/**
 * The parts of `@azure/storage-blob` and `@azure/identity` that are used here. The packages are
 * loaded at the first request. Their own types are not imported, because they are optional.
 */
export interface AzureSdk {
  readonly BlobServiceClient: {
    new (url: string, credential: object | undefined, options: object): AzureClient;
    fromConnectionString(text: string, options: object): AzureClient;
  };
  readonly StorageSharedKeyCredential: new (account: string, key: string) => object;
}

/** A client of one account. */
export interface AzureClient {
  readonly url: string;
  getContainerClient(name: string): AzureContainer;
}

/** A container. */
export interface AzureContainer {
  getBlockBlobClient(name: string): AzureBlob;
  listBlobsFlat(options: AzureOptions): AzurePages;
  listBlobsByHierarchy(delimiter: string, options: AzureOptions): AzurePages;
}

/** Options of requests. */
export interface AzureOptions {
  readonly abortSignal: AbortSignal;
  readonly prefix?: string;
  readonly conditions?: { readonly ifMatch?: string; readonly ifNoneMatch?: string };
}

/** A listing. */
export interface AzurePages {
  byPage(at: { continuationToken: string | undefined }): AsyncIterator<AzurePage>;
}

/** A page of a listing. */
export interface AzurePage {
  readonly continuationToken?: string;
  readonly segment: {
    readonly blobItems?: readonly {
      readonly name: string;
      readonly properties: { readonly contentLength?: number; readonly etag: string };
    }[];
    readonly blobPrefixes?: readonly { readonly name: string }[];
  };
}

/** A blob that is written whole, or as a list of blocks. */
export interface AzureBlob {
  getProperties(options: AzureOptions): Promise<AzureAnswer>;
  download(offset: number, count: number | undefined, options: AzureOptions): Promise<AzureAnswer>;
  upload(body: Uint8Array, length: number, options: AzureOptions): Promise<AzureAnswer>;
  stageBlock(
    id: string,
    body: Uint8Array,
    length: number,
    options: AzureOptions,
  ): Promise<AzureAnswer>;
  commitBlockList(ids: readonly string[], options: AzureOptions): Promise<AzureAnswer>;
  getBlockList(
    type: 'committed',
    options: AzureOptions,
  ): Promise<{ readonly committedBlocks?: readonly { readonly name: string }[] }>;
  deleteIfExists(options: AzureOptions): Promise<AzureAnswer>;
}

/** The fields of answers that are read here. */
export interface AzureAnswer {
  readonly etag?: string;
  readonly contentLength?: number;
  readonly contentRange?: string;
  readonly readableStreamBody?: AsyncIterable<Uint8Array> & { destroy?(error?: Error): void };
}

/** The package of clients. Throws unsupported if it is not installed. */
export const loadAzure = (): Promise<AzureSdk> => loadSdk<AzureSdk>('@azure/storage-blob', 'az://');

/** The package of credentials. Throws unsupported if it is not installed. */
export const loadIdentity = (): Promise<{ readonly DefaultAzureCredential: new () => object }> =>
  loadSdk('@azure/identity', 'az:// without a key');
