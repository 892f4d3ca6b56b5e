import type { BackendApi } from '../backend.ts';
import type { CallContext } from '../call.ts';
import { isPlain } from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { type DefinedIndex, definitionText } from './define-index.ts';
import type { DefinitionObject } from './definition-object.ts';

/** A definition as an object: what `defineIndex` takes or returns. */
export type DefinitionSource = DefinitionObject | DefinedIndex;

const FIELDS = ['definition', 'definition_yaml'] as const;

/** A request whose definition may be an object. */
export type DefiningRequest<R> = {
  readonly [K in keyof R]: K extends (typeof FIELDS)[number] ? R[K] | DefinitionSource : R[K];
};

/** Operations whose requests may have a definition. */
export type Defining =
  | 'createIndex'
  | 'alterIndex'
  | 'rehearseAlter'
  | 'validateDefinition'
  | 'restore'
  | 'startJob';

/** These operations in a library. Only texts are sent to a service. */
export type DefinitionApi = {
  readonly [K in keyof Pick<BackendApi, Defining>]: (
    request: DefiningRequest<Parameters<BackendApi[K]>[0]>,
    call?: CallContext,
  ) => ReturnType<BackendApi[K]>;
};

/**
 * The request with its definition as text; the check of requests refuses any other value. Throws
 * invalid_argument.
 */
export function withDefinitionText<R>(request: DefiningRequest<R>): R;
/** The same of a request of any operation. */
export function withDefinitionText(request: unknown): unknown;
/** The definition of either kind of object becomes its text. */
export function withDefinitionText(request: unknown): unknown {
  if (!isPlain(request)) return request;
  const values = request as Readonly<Record<string, unknown>>;
  const field = FIELDS.find((name) => isPlain(values[name]));
  if (field === undefined) return request;
  return { ...values, [field]: textOf(field, values[field] as DefinitionSource) };
}

/** Throws invalid_argument for an object that no JSON can say. */
function textOf(field: string, source: DefinitionSource): string {
  if ('definition' in source) return source.definition;
  try {
    return definitionText(source);
  } catch (cause) {
    throw new LhsError('invalid_argument', `"${field}" is an object that is not JSON`, { cause });
  }
}
