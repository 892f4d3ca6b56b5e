/** Values of VARIANT columns: their bytes, their JSON and nodes. */
export { decodeVariant } from './decode.ts';
export { encodeVariant, type VariantBytes } from './encode.ts';
export { nodeFromJson, variantFromJson } from './from-json.ts';
export { nodeOfValue } from './from-value.ts';
