import {
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  type OperationRow,
} from '@lakehouse-search/contract/internal';
import { file_lhs_v1_errors } from '../generated/lhs/v1/errors_pb.ts';
import { file_lhs_v1_services } from '../generated/lhs/v1/services_pb.ts';

/** A method of gRPC and the operation that it runs. */
export interface WireMethod {
  readonly operation: Operation;
  readonly route: OperationRow;
  readonly service: DescService;
  readonly method: DescMethod;
  readonly input: DescMessage;
  readonly output: DescMessage;
  /** The path of the call, for example `/lhs.v1.Search/Search`. */
  readonly path: string;
}

/** The descriptors of all messages and services, imported files included, as bytes. */
export function serializedFiles(): Uint8Array[] {
  const found = new Map<string, DescFile>();
  const visit = (file: DescFile): void => {
    if (found.has(file.name)) return;
    for (const dependency of file.dependencies) visit(dependency);
    found.set(file.name, file);
  };
  [file_lhs_v1_services, file_lhs_v1_errors].forEach(visit);
  return [...found.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}

const services = new Map(file_lhs_v1_services.services.map((service) => [service.name, service]));

function wireMethod(operation: Operation): WireMethod {
  const route = OPERATIONS[operation];
  const [serviceName, name] = route.rpc.split('/');
  const service = services.get(serviceName)!;
  const method = service.methods.find((candidate) => candidate.name === name)!;
  const { input, output } = method;
  const path = `/${service.typeName}/${name}`;
  return Object.freeze({ operation, route, service, method, input, output, path });
}

/** The method of each operation. */
export const METHODS = Object.freeze(
  Object.fromEntries(OPERATION_NAMES.map((operation) => [operation, wireMethod(operation)])),
) as Readonly<Record<Operation, WireMethod>>;
