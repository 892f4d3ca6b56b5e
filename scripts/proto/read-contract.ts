/**
 * Reads the wire contract from the TypeScript types of packages/contract: every operation of
 * `ServiceApi` is a method, every object type that its requests and responses contain is a message.
 */
import { basename, dirname, relative } from 'node:path';
import {
  API,
  type Checker,
  SignatureKind,
  type Type,
  TypeFlags,
  type Symbol as TypeSymbol,
} from 'typescript/unstable/sync';
import type { Route } from '../../packages/contract/src/operation.ts';
import { OPERATIONS } from '../../packages/contract/src/operations.ts';
import {
  type FieldModel,
  type FieldType,
  type MessageModel,
  type MethodModel,
  messagesOf,
  type WireModel,
} from './model.ts';
import { isWhole } from './whole-numbers.ts';

type Operation = keyof typeof OPERATIONS;

/** Fields that travel as JSON although their types could be messages. */
const AS_JSON = new Set(['ChangeBatch.parts', 'Hit.highlight']);
/** Types of free JSON, by their names. */
const JSON_NAMES = new Set(['Json', 'JsonObject', 'AggResults', 'AggSpecs', 'Highlight']);
/** Fields of query trees: the union of all clauses travels as JSON. */
const TREES = new Set(['ast', 'filter']);
const SERVICES_FILE = 'services';
const ANONYMOUS =
  'Values that belong together; the message that contains them has the description.';

/** Reads the contract of the checkout at `root`. */
export function readContract(root: string): WireModel {
  const api = new API({ cwd: root });
  try {
    const config = `${root}/packages/contract/tsconfig.json`;
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    return new ContractReader(root, project).read();
  } finally {
    api.close();
  }
}

type Project = ReturnType<ReturnType<API['updateSnapshot']>['getProjects']>[number];

class ContractReader {
  readonly #root: string;
  readonly #checker: Checker;
  readonly #project: Project;
  readonly #messages = new Map<string, MessageModel>();

  constructor(root: string, project: Project) {
    this.#root = root;
    this.#project = project;
    this.#checker = project.checker;
  }

  read(): WireModel {
    const file = `${this.#root}/packages/contract/src/service.ts`;
    const module = this.#checker.getSymbolAtLocation(this.#project.program.getSourceFile(file)!);
    const exported = this.#checker.getExportsOfModule(module!);
    const service = exported.find(({ name }) => name === 'ServiceApi')!;
    const type = this.#checker.getDeclaredTypeOfSymbol(service);
    const methods = Object.entries(OPERATIONS).map(([operation, route]) =>
      this.#method(
        this.#checker.getPropertyOfType(type, operation)!,
        operation as Operation,
        route,
      ),
    );
    return { messages: [...this.#messages.values()], requests: this.#requests(methods), methods };
  }

  #requests(methods: readonly MethodModel[]): Set<string> {
    const found = new Set<string>();
    const visit = (name: string): void => {
      if (found.has(name)) return;
      found.add(name);
      for (const part of messagesOf(this.#messages.get(name)!)) visit(part);
    };
    for (const { input } of methods) visit(input);
    return found;
  }

  #method(symbol: TypeSymbol, operation: Operation, route: Route): MethodModel {
    const type = this.#checker.getTypeOfSymbol(symbol)!;
    const [signature] = this.#checker.getSignaturesOfType(type, SignatureKind.Call);
    const [service, name] = route.rpc.split('/');
    const input = withoutAbsence(this.#checker.getParameterType(signature, 0)!);
    const returned = this.#checker.getReturnTypeOfSignature(signature)!;
    const [answer] = this.#checker.getTypeArguments(returned as never);
    const { stream, verb, path, also = [] } = route;
    const doc = this.#checker.getDocumentationCommentOfSymbol(symbol);
    return {
      service,
      name,
      doc: doc === '' ? `Runs the operation "${operation}".` : doc,
      input: this.#message(input, `${name}Request`),
      output: this.#answer(answer, name, route),
      stream,
      http: [`${verb} ${path}`, ...also],
    };
  }

  /** The message of an answer: lists and empty answers have one of their own. */
  #answer(type: Type, method: string, route: Route): string {
    const name = `${method}Response`;
    const doc = `The response of ${method}.`;
    if ((type.flags & TypeFlags.Void) !== 0) {
      return this.#add({ name, doc, file: SERVICES_FILE, fields: [] });
    }
    if (route.list === undefined) return this.#message(type, name);
    const [item] = this.#checker.getTypeArguments(type as never);
    const list: FieldModel = {
      name: route.list,
      doc: '',
      type: { kind: 'message', name: this.#message(item, `${method}Item`) },
      repeated: true,
      required: true,
      nullable: false,
      values: [],
    };
    return this.#add({ name, doc, file: SERVICES_FILE, fields: [list] });
  }

  #add(message: MessageModel): string {
    this.#messages.set(message.name, message);
    return message.name;
  }

  /** The name of the message of an object type, or of a union of such. */
  #message(type: Type, fallback: string): string {
    const symbol = type.getAliasSymbol() ?? (type.isUnionType() ? undefined : type.getSymbol());
    const named = symbol !== undefined && !symbol.name.startsWith('__');
    const name = named ? symbol.name : fallback;
    if (this.#messages.has(name)) return name;
    const doc = named ? this.#checker.getDocumentationCommentOfSymbol(symbol) : ANONYMOUS;
    const file = named ? this.#fileOf(symbol) : this.#fileOfMembers(type);
    // The name is taken before the fields are read: a type may contain itself.
    this.#messages.set(name, { name, doc, file, fields: [] });
    this.#messages.set(name, { name, doc, file, fields: this.#fields(type, name) });
    return name;
  }

  #fileOf(symbol: TypeSymbol): string {
    const path = symbol.declarations[0]?.path ?? '';
    const folder = dirname(relative(`${this.#root}/packages/contract/src`, path));
    if (folder !== '.') return folder.replaceAll('-', '_');
    return ['backend.ts', 'service.ts'].includes(basename(path)) ? SERVICES_FILE : 'values';
  }

  #fileOfMembers(type: Type): string {
    const [member] = partsOf(type).filter((part) => !isAbsence(part));
    const [property] = this.#checker.getPropertiesOfType(member);
    return property === undefined ? 'values' : this.#fileOf(property);
  }

  #fields(type: Type, message: string): FieldModel[] {
    const members = type.isUnionType() ? type.getTypes() : [type];
    const names = new Set(
      members.flatMap((member) => this.#checker.getPropertiesOfType(member).map((p) => p.name)),
    );
    return [...names]
      .toSorted((a, b) => this.#inherits(type, b, message) - this.#inherits(type, a, message))
      .map((name) => this.#field(members, name, message));
  }

  /** 1 for a field that another type declares: those come first. */
  #inherits(type: Type, name: string, message: string): number {
    const owner = this.#checker.getPropertyOfType(type, name)?.getParent()?.name ?? message;
    return owner === message || owner.startsWith('__') ? 0 : 1;
  }

  /** A field; of a union it is required if all members require it. */
  #field(members: readonly Type[], name: string, message: string): FieldModel {
    const symbols = members.map((member) => this.#checker.getPropertyOfType(member, name));
    const present = symbols.filter((symbol) => symbol !== undefined);
    const types = distinct(
      present.flatMap((symbol) => partsOf(this.#checker.getTypeOfSymbol(symbol)!)),
    );
    const has = (flag: TypeFlags) => types.some((type) => (type.flags & flag) !== 0);
    const values = types.filter((type) => !isAbsence(type));
    const owner = present[0].getParent()?.name;
    const parent = owner === undefined || owner.startsWith('__') ? message : owner;
    const wholes = distinct(present.map((symbol) => this.#checker.getTypeOfSymbol(symbol)!));
    const whole = wholes.length === 1 ? wholes[0] : undefined;
    const isTree = TREES.has(name) && values.length > 1;
    const read = isTree
      ? { type: { kind: 'json', text: has(TypeFlags.StringLike) } as const, repeated: false }
      : AS_JSON.has(`${message}.${name}`)
        ? { type: { kind: 'json', text: false } as const, repeated: name === 'parts' }
        : this.#typeOf(values, whole, { parent, name, json: has(TypeFlags.Null) });
    const nullable = has(TypeFlags.Null) && read.type.kind !== 'json';
    return {
      name,
      doc: this.#checker.getDocumentationCommentOfSymbol(present[0]),
      ...read,
      required: present.length === members.length && !has(TypeFlags.Undefined),
      nullable,
      values: literalsOf(values),
    };
  }

  #typeOf(
    types: readonly Type[],
    whole: Type | undefined,
    at: { readonly parent: string; readonly name: string; readonly json: boolean },
  ): { readonly type: FieldType; readonly repeated: boolean } {
    const every = (flag: TypeFlags) => types.every((type) => (type.flags & flag) !== 0);
    const one = (type: FieldType) => ({ type, repeated: false });
    if (every(TypeFlags.StringLike)) return one({ kind: 'scalar', proto: 'string' });
    if (every(TypeFlags.BooleanLike)) return one({ kind: 'scalar', proto: 'bool' });
    if (every(TypeFlags.NumberLike)) {
      return one({ kind: 'scalar', proto: isWhole(at.parent, at.name) ? 'int64' : 'double' });
    }
    const [first] = types;
    if (types.length === 1 && this.#checker.isArrayLikeType(first)) return this.#list(first, at);
    if (!every(TypeFlags.Object)) {
      const texts = types.filter((type) => (type.flags & TypeFlags.StringLike) !== 0);
      return one({ kind: 'json', text: texts.length === 1 && types.length === 2 });
    }
    return one(this.#objectOf(types, whole, at));
  }

  #list(array: Type, at: { readonly parent: string; readonly name: string }) {
    const [item] = this.#checker.getTypeArguments(array as never);
    const read = this.#typeOf(partsOf(item), item, { ...at, json: false });
    // A list of lists, and a list of JSON values, is one JSON text.
    if (read.repeated || read.type.kind === 'json') {
      return { type: { kind: 'json', text: false } as const, repeated: false };
    }
    return { type: read.type, repeated: true };
  }

  #objectOf(
    types: readonly Type[],
    whole: Type | undefined,
    at: { readonly parent: string; readonly name: string },
  ): FieldType {
    const json: FieldType = { kind: 'json', text: false };
    const fallback = `${at.parent}${pascal(at.name)}`;
    if (types.length > 1) {
      const union = whole === undefined ? undefined : withoutAbsence(whole);
      return union?.isUnionType()
        ? { kind: 'message', name: this.#message(union, fallback) }
        : json;
    }
    const [type] = types;
    const alias = type.getAliasSymbol()?.name;
    if (alias !== undefined && JSON_NAMES.has(alias)) return json;
    const [index] = this.#checker.getIndexInfosOfType(type);
    if (index === undefined) return { kind: 'message', name: this.#message(type, fallback) };
    const { flags } = index.valueType;
    if ((flags & TypeFlags.NumberLike) !== 0) return { kind: 'map', value: 'int64' };
    return (flags & TypeFlags.StringLike) !== 0 ? { kind: 'map', value: 'string' } : json;
  }
}

const isAbsence = ({ flags }: Type): boolean =>
  (flags & (TypeFlags.Undefined | TypeFlags.Null)) !== 0;

const partsOf = (type: Type): readonly Type[] =>
  type.isUnionType() ? (type.getTypes() ?? []) : [type];

const distinct = (types: readonly Type[]): Type[] => [
  ...new Map(types.map((type) => [type.id, type])).values(),
];

/** The type of what is there, if it is one type. */
function withoutAbsence(type: Type): Type {
  const rest = partsOf(type).filter((part) => !isAbsence(part));
  return rest.length === 1 ? rest[0] : type;
}

function literalsOf(types: readonly Type[]): string[] {
  if (!types.every((type) => type.isStringLiteralType())) return [];
  return [...new Set(types.map((type) => (type as unknown as { value: string }).value))].sort();
}

const pascal = (name: string): string =>
  name
    .split('_')
    .map((part) => part[0].toUpperCase() + part.slice(1))
    .join('');
