import type { Server, ServerDuplexStream, ServiceDefinition } from '@grpc/grpc-js';
import type { ReflectionService } from '@grpc/reflection';
import { serializedFiles } from '@lakehouse-search/client/internal';
import { HEALTH_SERVICE, healthFile } from './health-descriptor.ts';
import { bytesMethod, openScreen } from './screen.ts';

type Stream = ServerDuplexStream<Buffer, Buffer>;
type PackageDefinition = ConstructorParameters<typeof ReflectionService>[0];
/** Answers the requests of one stream. */
type Answer = (stream: Stream) => void;
/** The handler of `@grpc/reflection`: it reads and writes messages. */
type Handler = (stream: Pick<ServerDuplexStream<unknown, unknown>, 'on' | 'write' | 'end'>) => void;

const SERVICES = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];
const METHOD = 'ServerReflectionInfo';
const STREAMS = { requestStream: true, responseStream: true };

/**
 * Clients such as grpcurl read the descriptors of all services from the server. The library is
 * loaded, and reads the descriptors, with the first of them: that takes a tenth of the time in
 * which a server starts.
 */
export function reflect(server: Server, services: readonly string[]): void {
  let loading: Promise<ReadonlyMap<string, Answer>> | undefined;
  for (const service of SERVICES) {
    const path = `/${service}/${METHOD}`;
    const handler = (stream: Stream) => {
      loading ??= load(services);
      loading.then(
        (answers) => answers.get(path)?.(stream),
        (error) => stream.emit('error', error),
      );
    };
    const method = bytesMethod(path, openScreen, STREAMS);
    server.addService({ [METHOD]: method }, { [METHOD]: handler });
  }
}

/** The answers by path. */
async function load(services: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
  const reflection = await import('@grpc/reflection');
  const ours = serializedFiles().map((bytes) => Buffer.from(bytes));
  const fileDescriptorProtos = [...ours, healthFile()];
  const files = { format: 'Protocol Buffer 3 DescriptorProto', type: {}, fileDescriptorProtos };
  const definition = { 'lhs.v1': files } as unknown as PackageDefinition;
  const answers = new Map<string, Answer>();
  const addService = (own: ServiceDefinition, handlers: Readonly<Record<string, Handler>>) => {
    answers.set(own[METHOD].path, (stream) => handlers[METHOD](messagesOf(stream, own)));
  };
  const target = { addService } as unknown as Server;
  new reflection.ReflectionService(definition, {
    services: [...services, HEALTH_SERVICE],
  }).addToServer(target);
  return answers;
}

/** A stream of bytes as one of messages. */
function messagesOf(stream: Stream, definition: ServiceDefinition): Parameters<Handler>[0] {
  const { requestDeserialize, responseSerialize } = definition[METHOD];
  const own = {
    on(event: string, listener: (value?: unknown) => void) {
      const read = (bytes: Buffer) => listener(requestDeserialize(bytes));
      stream.on(event, event === 'data' ? read : listener);
      return own;
    },
    write: (message: unknown) => stream.write(responseSerialize(message)),
    end: () => stream.end(),
  };
  return own as unknown as Parameters<Handler>[0];
}
