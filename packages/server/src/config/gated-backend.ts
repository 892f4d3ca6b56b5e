import {
  type AlterIndexRequest,
  type BackupTarget,
  type CallContext,
  type DescribeSourceRequest,
  type IndexDescription,
  LhsError,
  type MoveIndexRequest,
  type RehearseAlterRequest,
  type RestoreRequest,
  type StartJobRequest,
  type ValidateDefinitionRequest,
} from '@lakehouse-search/contract';
import { type BackendApi, OPERATIONS, text } from '@lakehouse-search/contract/internal';
import {
  type FormerSource,
  gateDefinition,
  gateStorage,
  gateTable,
  namedCatalog,
  notNamed,
} from './definition-gate.ts';
import { NO_CONFIG, type SourceNames } from './server-config.ts';
import { shownDefinition } from './shown-definition.ts';
import { shownSource, withNamedCatalog } from './shown-source.ts';
import { shownPlace, shownPublished, shownStatus } from './shown-status.ts';
import { withOwn } from './with-own.ts';

type Overridden =
  | 'createIndex'
  | 'moveIndex'
  | 'alterIndex'
  | 'describeIndex'
  | 'getDefinition'
  | 'rehearseAlter'
  | 'validateDefinition'
  | 'describeSource'
  | 'listTables'
  | 'initDefinition'
  | 'backup'
  | 'backupStatus'
  | 'listBackups'
  | 'pruneBackups'
  | 'restore'
  | 'startJob'
  | 'checkErasure'
  | 'runErasure'
  | 'status';

/** The setting stands for its value, a folder or an address. */
const BACKUP_TARGET = '<backup target>';

type Operate = (request: unknown, call: unknown) => unknown;

/**
 * A backend for callers over the network: what their requests name comes from the configuration.
 * All other operations go to the backend as they are, and so do requests that are no objects, which
 * its check refuses. `isLed`: a control plane gates the requests that it answers.
 */
export function gatedBackend(backend: BackendApi, names: SourceNames, isLed = false): BackendApi {
  const gated: Pick<BackendApi, Overridden> = {
    createIndex: async (request, call) => {
      refuseFolder(request);
      const definition = await gateText(request.definition, names);
      return shown(await backend.createIndex({ ...request, definition }, call), names);
    },
    moveIndex: async (request, call) => {
      const moved = await backend.moveIndex(gateMove(request, names), call);
      const shownOf = (place: string | null) => place && shownPlace(place, names);
      const { storage, previous_storage } = moved;
      return { ...moved, storage: shownOf(storage), previous_storage: shownOf(previous_storage) };
    },
    alterIndex: async (request, call) =>
      backend.alterIndex(await gateAlter(backend, request, names, call), call),
    rehearseAlter: async (request, call) =>
      backend.rehearseAlter(await gateAlter(backend, request, names, call), call),
    describeIndex: async (request, call) =>
      shown(await backend.describeIndex(request, call), names),
    getDefinition: async (request, call) => {
      const found = await backend.getDefinition(request, call);
      const { source } = shown(await backend.describeIndex(request, call), names);
      return { ...found, definition: await shownDefinition(found.definition, source, names) };
    },
    validateDefinition: async (request, call) =>
      backend.validateDefinition(await gateValidation(request, names), call),
    describeSource: async (request, call) =>
      backend.describeSource(gateSource(request, names), call),
    initDefinition: async (request, call) => {
      const { definition } = await backend.initDefinition(gateSource(request, names), call);
      return { definition: withNamedCatalog(definition, names) };
    },
    listTables: async (request, call) => {
      refuseFolder(request);
      if (request.catalog !== undefined) throw notNamed(names);
      const catalog = namedCatalog(request.catalog_name, names);
      return backend.listTables({ catalog }, call);
    },
    backup: async (request, call) => {
      const made = await backend.backup(ownTarget(request), call);
      return { ...made, target: BACKUP_TARGET };
    },
    backupStatus: async (request, call) => backend.backupStatus(ownTarget(request), call),
    listBackups: async (request, call) => backend.listBackups(ownTarget(request), call),
    pruneBackups: async (request, call) => backend.pruneBackups(ownTarget(request), call),
    startJob: async (request, call) =>
      backend.startJob(await gateJob(backend, request, names, call), call),
    restore: async (request, call) => backend.restore(gateRestore(request), call),
    checkErasure: async (request, call) => backend.checkErasure(ownBackups(request), call),
    runErasure: async (request, call) => backend.runErasure(ownBackups(request), call),
    status: async (request, call) => shownStatus(await backend.status(request, call), names),
  };
  const own = (Object.keys(gated) as Overridden[]).map((name) => {
    const pass: Operate = (request, call) => (backend[name] as Operate)(request, call);
    const passes = isLed && OPERATIONS[name].plane === 'answers';
    return [name, forObjects(pass, passes ? pass : (gated[name] as Operate))];
  });
  return withOwn(backend, Object.fromEntries(own));
}

/** A description with names in place of the settings of its source. */
function shown({ source, ...own }: IndexDescription, names: SourceNames): IndexDescription {
  const described = { ...own, ...shownPublished(own, names) };
  return source === undefined ? described : { ...described, source: shownSource(source, names) };
}

/**
 * A gated operation; requests that are no objects go to the backend. Libraries take definitions
 * that are objects; a service takes texts, which its gate reads.
 */
function forObjects(pass: Operate, gate: Operate): Operate {
  return async (request, call) => {
    if (typeof request !== 'object' || request === null) return pass(request, call);
    for (const name of ['definition', 'definition_yaml']) {
      const value: unknown = Reflect.get(request, name);
      if (typeof value === 'object') text(value, name);
    }
    return gate(request, call);
  };
}

/** A wrong type is left for the check of the backend. */
const gateText = async (
  definition: string,
  names: SourceNames,
  former?: FormerSource,
): Promise<string> =>
  typeof definition === 'string' ? gateDefinition(definition, names, former) : definition;

/** The check of the backend refuses values that are no storage. */
function gateMove(request: MoveIndexRequest, names: SourceNames): MoveIndexRequest {
  const { storage } = request;
  if (typeof storage !== 'string' || storage === '') return request;
  return { ...request, storage: gateStorage(storage, names) };
}

/** The source of an index that is altered needs no name while it stays as it is. */
async function gateAlter<T extends AlterIndexRequest | RehearseAlterRequest>(
  backend: Pick<BackendApi, 'describeIndex'>,
  request: T,
  names: SourceNames,
  call: CallContext | undefined,
): Promise<T> {
  refuseFolder(request);
  const former = await formerSource(backend, request.index, names, call);
  const definition_yaml = await gateText(request.definition_yaml, names, former);
  return { ...request, definition_yaml };
}

/** Undefined if there is no such index, or its caller may not see its source. */
async function formerSource(
  backend: Pick<BackendApi, 'describeIndex'>,
  index: string | undefined,
  names: SourceNames,
  call: CallContext | undefined,
): Promise<FormerSource | undefined> {
  try {
    const { source } = await backend.describeIndex(index === undefined ? {} : { index }, call);
    if (source === undefined) return undefined;
    // a gateway may show sources without the names of its control plane
    const shown = [names, NO_CONFIG.names].map((known) => shownSource(source, known));
    return { source, shown };
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

async function gateValidation(request: ValidateDefinitionRequest, names: SourceNames) {
  refuseFolder(request);
  const { source, ...others } = request;
  const definition = await gateText(request.definition, names);
  if (source === undefined) return { ...others, definition };
  return { ...others, definition, source: gateTable(source, names) };
}

/** A request that names the table of a catalog, with the settings of that catalog. */
function gateSource<T extends DescribeSourceRequest>(request: T, names: SourceNames): T {
  refuseFolder(request);
  const { table, catalog_name: catalog, source, ...others } = request;
  if (source !== undefined) throw notNamed(names);
  return { ...others, source: gateTable({ table, catalog }, names) } as T;
}

/** A job is gated as its operation is. */
async function gateJob(
  backend: Pick<BackendApi, 'describeIndex'>,
  request: StartJobRequest,
  names: SourceNames,
  call: CallContext | undefined,
): Promise<StartJobRequest> {
  switch (request?.kind) {
    case 'alter':
      return gateAlter(backend, request, names, call);
    case 'backup':
      return ownTarget(request);
    case 'restore':
      return { ...request, ...gateRestore(request) };
    case 'erase':
      return ownBackups(request);
    default:
      return request;
  }
}

function gateRestore(request: RestoreRequest): RestoreRequest {
  refuseFolder(request);
  if (request.definition !== undefined) {
    const message = '"definition" is not for requests over the network';
    throw new LhsError('invalid_argument', message);
  }
  return ownTarget(request);
}

function ownTarget<T extends BackupTarget>(request: T): T {
  if (request?.target === undefined) return request;
  const message = '"target" is not for requests over the network: the server has its own';
  throw new LhsError('invalid_argument', message, { hint: 'name a "prefix" below it' });
}

function ownBackups<T extends { readonly backups?: readonly string[] }>(request: T): T {
  if (request?.backups === undefined) return request;
  const message = '"backups" is not for requests over the network: the server has its own target';
  throw new LhsError('invalid_argument', message);
}

function refuseFolder(request: { readonly base_dir?: unknown }): void {
  if (request?.base_dir === undefined) return;
  const message = '"base_dir" is not for requests over the network';
  throw new LhsError('invalid_argument', message);
}
