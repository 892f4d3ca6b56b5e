/** One operation over REST or gRPC, without the checks of a client: what a server answers. */
import {
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  status as codes,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { decodeMessage, encodeMessage, METHODS } from '@lakehouse-search/client/internal';
import { OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { errorOfStatus } from '../../../client/src/grpc/status-error.ts';
import { restRequest } from '../../../client/src/rest/rest-request.ts';

/** What came back. A stream is the list of its items. */
export interface Answer {
  /** HTTP status; a gRPC answer has the status that its code maps to. */
  readonly status: number;
  readonly body: unknown;
}

/** Calls an operation with headers, or metadata. */
export type CallOver = (
  operation: Operation,
  request: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** The statuses of the interface: HTTP by gRPC. */
const HTTP: Readonly<Partial<Record<codes, number>>> = {
  [codes.INVALID_ARGUMENT]: 400,
  [codes.UNAUTHENTICATED]: 401,
  [codes.PERMISSION_DENIED]: 403,
  [codes.NOT_FOUND]: 404,
  [codes.FAILED_PRECONDITION]: 412,
  [codes.RESOURCE_EXHAUSTED]: 429,
  [codes.CANCELLED]: 499,
  [codes.UNIMPLEMENTED]: 501,
  [codes.UNAVAILABLE]: 503,
  [codes.DEADLINE_EXCEEDED]: 504,
};

/** Calls over REST. */
export function restCalls(url: string): CallOver {
  return async (operation, request, headers = {}) => {
    const route = OPERATIONS[operation];
    const { method, target, body } = restRequest(route, request);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}${target}`, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isLines = response.headers.get('content-type')?.includes('ndjson') === true;
    return { status: response.status, body: isLines ? linesOf(text) : JSON.parse(text) };
  };
}

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Calls over gRPC; `close` ends the connection. */
export interface GrpcCalls {
  readonly call: CallOver;
  close(): void;
}

const same = (bytes: Buffer): Buffer => bytes;
const UNLIMITED = { 'grpc.max_receive_message_length': -1, 'grpc.enable_retries': 0 };

/** Calls over gRPC at HOST:PORT. */
export function grpcCalls(
  address: string,
  secrets: ChannelCredentials = credentials.createInsecure(),
  options: object = {},
): GrpcCalls {
  const client = new Client(address, secrets, { ...UNLIMITED, ...options });
  const call: CallOver = async (operation, request, headers = {}) => {
    const { input, route, path } = METHODS[operation];
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const whole = { ...route.defaults, ...(request as object | undefined) };
    const bytes = Buffer.from(encodeMessage(input, whole));
    try {
      if (route.stream === 'responses') {
        const stream = client.makeServerStreamRequest(path, same, same, bytes, metadata, {});
        return { status: 200, body: await itemsOf(stream, operation) };
      }
      return { status: route.status ?? 200, body: bodyOf(operation, await unary(bytes)) };
    } catch (error) {
      return refusalOf(error as ServiceError);
    }

    function unary(message: Buffer): Promise<Buffer> {
      return new Promise((resolve, reject) => {
        const done = (error: ServiceError | null, answer?: Buffer) =>
          error === null ? resolve(answer as Buffer) : reject(error);
        if (route.stream !== 'requests') {
          client.makeUnaryRequest(path, same, same, message, metadata, {}, done);
          return;
        }
        const stream = client.makeClientStreamRequest(path, same, same, metadata, {}, done);
        stream.write(message);
        stream.end();
      });
    }
  };
  return { call, close: () => client.close() };
}

/** The value that REST would have. */
function bodyOf(operation: Operation, bytes: Buffer): unknown {
  const { output, route } = METHODS[operation];
  const value = decodeMessage(output, bytes, 'response');
  if (route.empty === true) return {};
  return route.list === undefined ? value : value[route.list];
}

async function itemsOf(
  stream: ClientReadableStream<Buffer>,
  operation: Operation,
): Promise<unknown[]> {
  const { output } = METHODS[operation];
  const items: unknown[] = [];
  for await (const bytes of stream) items.push(decodeMessage(output, bytes as Buffer, 'response'));
  return items;
}

function refusalOf(error: ServiceError): Answer {
  const known = errorOfStatus(error);
  const status = HTTP[error.code] ?? 500;
  const { code, message, hint, next, details } = known;
  const shown = { ...details, ...(hint === undefined ? {} : { hint }), next };
  return { status, body: { error: { code, status, message, details: shown } } };
}
