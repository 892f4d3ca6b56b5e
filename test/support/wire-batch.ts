import {
  type ChangeBatch,
  encodePart,
  type TypedBatch,
  type TypedPart,
} from '@lakehouse-search/contract';
import { writeWireValue } from '../../packages/engine/src/documents/wire-value.ts';

/** A change batch as it comes out of JSON. Its parts are an array. */
export function wireBatch(batch: TypedBatch): ChangeBatch {
  const parts = [...(batch.parts as Iterable<TypedPart>)];
  const encoded = parts.map((part) => encodePart(part, writeWireValue));
  return JSON.parse(JSON.stringify({ version: 1, ...batch, parts: encoded })) as ChangeBatch;
}
