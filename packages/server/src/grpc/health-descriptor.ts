import { create, toBinary } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

const PACKAGE = 'grpc.health.v1';
const LABEL = FieldDescriptorProto_Label.OPTIONAL;
const STATUS = `.${PACKAGE}.HealthCheckResponse.ServingStatus`;
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** The name of the health service. */
export const HEALTH_SERVICE = `${PACKAGE}.Health`;

/**
 * Returns the serialized descriptor of the health service, for reflection: the methods that most
 * clients call (the GRPC Health Checking Protocol).
 */
export function healthFile(): Buffer {
  const field = { number: 1, label: LABEL };
  const types = {
    inputType: `.${PACKAGE}.HealthCheckRequest`,
    outputType: `.${PACKAGE}.HealthCheckResponse`,
  };
  const file = create(FileDescriptorProtoSchema, {
    name: 'grpc/health/v1/health.proto',
    package: PACKAGE,
    syntax: 'proto3',
    messageType: [
      {
        name: 'HealthCheckRequest',
        field: [{ ...field, name: 'service', type: FieldDescriptorProto_Type.STRING }],
      },
      {
        name: 'HealthCheckResponse',
        field: [
          { ...field, name: 'status', type: FieldDescriptorProto_Type.ENUM, typeName: STATUS },
        ],
        enumType: [
          { name: 'ServingStatus', value: STATUSES.map((name, number) => ({ name, number })) },
        ],
      },
    ],
    service: [
      {
        name: 'Health',
        method: [
          { ...types, name: 'Check' },
          { ...types, name: 'Watch', serverStreaming: true },
        ],
      },
    ],
  });
  return Buffer.from(toBinary(FileDescriptorProtoSchema, file));
}
