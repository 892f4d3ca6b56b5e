import { OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { type DestinationStream, type Logger, pino } from 'pino';
import { errorInLog } from './error-json.ts';
import { lineWriter } from './line-writer.ts';
import type { CallRecord, Observer } from './observer.ts';

/** Levels of a log. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where the logs of a server go. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Log each call. */
  readonly access: boolean;
  /** File of the audit log. Absent: it goes where the other lines go. */
  readonly auditFile?: string;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

/** The log of a server: NDJSON. Texts of queries and credentials are never part of a line. */
export interface ServerLog {
  readonly logger: Logger;
  /** Access log and audit log. */
  readonly observer: Observer;
  flush(): void;
}

/** Fields that hold secrets, wherever they are. */
const SECRETS = ['password', 'token', 'secret', 'authorization', 'apikey', 'privateJwk'];
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** Opens the logs of a server. */
export function openLogs(options: LogOptions): ServerLog {
  const serializers = { cause: errorInLog, err: errorInLog };
  const settings = { base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers };
  const redact = { paths: REDACTED, censor: '[redacted]' };
  const { level } = options;
  const lines =
    options.destination === undefined
      ? lineWriter(pino.destination({ dest: 1, sync: false }))
      : undefined;
  const out = (options.destination ?? lines)!;
  const logger = pino({ ...settings, redact, level }, out);
  const file =
    options.auditFile === undefined
      ? out
      : pino.destination({ dest: options.auditFile, append: true, mkdir: true, mode: 0o600 });
  const audit = pino({ ...settings, redact, level: 'info', base: { log: 'audit' } }, file);
  const access = logger.child({ log: 'access' });
  let endedMs = 0;
  const timestamp = () => `,"time":"${new Date(endedMs).toISOString()}"`;
  const plainAccess = pino({ ...settings, timestamp, level }, out).child({ log: 'access' });
  const logPlain = (record: CallRecord, ms: number): void => {
    endedMs = ms;
    plainAccess.info(record);
  };
  const logAccess = (record: CallRecord): void => {
    const now = Date.now();
    // Only a cause may have fields of any name. Looking for secrets takes most of the time.
    if (record.cause !== undefined) access.info(record);
    else if (lines === undefined) logPlain(record, now);
    else lines.later(() => logPlain(record, now));
  };
  const observer = {
    ended(record: CallRecord) {
      if (options.access) logAccess(record);
      if (!isAudited(record)) return;
      audit.info(auditLine(record));
      audit.flush();
    },
  };
  return {
    logger,
    observer,
    flush() {
      logger.flush();
      audit.flush();
    },
  };
}

/** Changes, logins, and everything that was refused to a caller. */
function isAudited({ operation, status }: CallRecord): boolean {
  if (status === 401 || status === 403) return true;
  return operation !== undefined && (operation === 'login' || isChange(operation));
}

/** Changes that callers with the scope `search` may make: of what is theirs. */
const OWN_CHANGES: ReadonlySet<Operation> = new Set<Operation>([
  'createSavedQuery',
  'replaceSavedQuery',
  'deleteSavedQuery',
  'openPit',
  'closePit',
]);

function isChange(operation: Operation): boolean {
  const scope = OPERATIONS[operation].scope;
  return scope === 'ops' || scope === 'admin' || OWN_CHANGES.has(operation);
}

function auditLine({ request_id, trace_id, remote, transport, status, ...record }: CallRecord) {
  const { operation, index, subject, tenant, code } = record;
  const call = { request_id, trace_id, remote, transport, operation, index };
  return { ...call, subject, tenant, status, code };
}

/** An observer that passes each record to several. */
export function observers(...several: readonly (Observer | undefined)[]): Observer {
  const all = several.filter((observer) => observer !== undefined);
  return {
    ended(record) {
      for (const observer of all) observer.ended(record);
    },
  };
}
