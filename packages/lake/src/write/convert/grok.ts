import { LakeError } from '../../base/errors.ts';

/** Patterns by their names in grok; no pattern uses itself. */
const NAMED: Readonly<Record<string, string>> = Object.freeze({
  WORD: String.raw`\b\w+\b`,
  NOTSPACE: String.raw`\S+`,
  SPACE: String.raw`\s*`,
  DATA: '.*?',
  GREEDYDATA: '.*',
  INT: String.raw`[+-]?\d+`,
  POSINT: String.raw`[1-9]\d*`,
  NONNEGINT: String.raw`\d+`,
  NUMBER: String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`,
  BASE16NUM: '[+-]?(?:0x)?[0-9A-Fa-f]+',
  UUID: '[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}',
  QUOTEDSTRING: String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`,
  USERNAME: '[a-zA-Z0-9._-]+',
  IPV4: String.raw`(?:\d{1,3}\.){3}\d{1,3}`,
  IPV6: '[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*',
  IP: '(?:%{IPV4}|%{IPV6})',
  HOSTNAME: '[0-9A-Za-z][0-9A-Za-z._-]*',
  IPORHOST: '(?:%{IP}|%{HOSTNAME})',
  USER: '%{USERNAME}',
  HTTPDUSER: '(?:%{EMAILADDRESS}|%{USERNAME})',
  BASE10NUM: '%{NUMBER}',
  BASE16FLOAT: String.raw`[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]*)?|\.[0-9A-Fa-f]+)`,
  QS: '%{QUOTEDSTRING}',
  URN: String.raw`urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:\S+`,
  MAC: '(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})',
  CISCOMAC: String.raw`(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}`,
  WINDOWSMAC: '(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}',
  COMMONMAC: '(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}',
  HOST: '%{HOSTNAME}',
  HOSTPORT: '%{IPORHOST}:%{POSINT}',
  EMAILLOCALPART: String.raw`[\w!#$%&'*+/=?^{|}~.-]+`,
  EMAILADDRESS: '%{EMAILLOCALPART}@%{HOSTNAME}',
  UNIXPATH: String.raw`(?:/[^\s/]*)+`,
  WINPATH: String.raw`(?:[A-Za-z]+:|\\)(?:\\[^\\?*\s]*)+`,
  TTY: String.raw`/dev/(?:pts|tty[a-z]?)(?:/?\w+)?`,
  URIPROTO: '[A-Za-z][A-Za-z0-9+.-]*',
  URIHOST: '%{IPORHOST}(?::%{POSINT})?',
  URIPATH: String.raw`(?:/[^\s?#]*)+`,
  URIPARAM: String.raw`\?\S*`,
  MONTH: '[A-Z][a-z]{2,8}',
  MONTHNUM: '(?:0?[1-9]|1[0-2])',
  MONTHNUM2: '(?:0[1-9]|1[0-2])',
  MONTHDAY: '(?:0?[1-9]|[12][0-9]|3[01])',
  DAY: '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*',
  YEAR: String.raw`(?:\d\d){1,2}`,
  HOUR: '(?:2[0-3]|[01]?[0-9])',
  MINUTE: '[0-5][0-9]',
  SECOND: String.raw`(?:[0-5]?[0-9]|60)(?:[:.,]\d+)?`,
  TZ: '[A-Z]{3,4}',
  ISO8601_TIMEZONE: String.raw`(?:Z|[+-]\d\d:?\d\d)`,
  DATE_US: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
  DATE_EU: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
  DATE: '(?:%{DATE_US}|%{DATE_EU})',
  DATESTAMP: '%{DATE}[- ]%{TIME}',
  DATESTAMP_RFC822: '%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}',
  DATESTAMP_RFC2822: '%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} (?:%{ISO8601_TIMEZONE}|%{TZ})',
  DATESTAMP_OTHER: '%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} %{TZ} %{YEAR}',
  DATESTAMP_EVENTLOG: String.raw`\d{14}`,
  JAVACLASS: String.raw`(?:[A-Za-z$_][\w$]*\.)*[A-Za-z$_][\w$]*`,
  JAVAMETHOD: String.raw`(?:<(?:cl)?init>|[A-Za-z$_][\w$]*)`,
  JAVAFILE: String.raw`[\w. -]+`,
  JAVALOGMESSAGE: '.*',
  JAVATHREAD: '%{NOTSPACE}',
  JAVASTACKTRACEPART:
    String.raw`\s*at %{JAVACLASS:class}\.%{JAVAMETHOD:method}` +
    String.raw`\(%{JAVAFILE:file}(?::%{INT:line})?\)`,
  SYSLOGHOST: '%{IPORHOST}',
  SYSLOGFACILITY: '<%{NONNEGINT:facility}.%{NONNEGINT:priority}>',
  SYSLOGPROG: String.raw`%{PROG:program}(?:\[%{POSINT:pid}\])?`,
  SYSLOGBASE:
    '%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:host} %{SYSLOGPROG}:',
  PATH: String.raw`/[^\s?#]*|[A-Za-z]:\\\S*`,
  URIPATHPARAM: String.raw`/\S*`,
  URI: String.raw`[A-Za-z][A-Za-z0-9+.-]*://\S+`,
  LOGLEVEL:
    '(?:[A-Za-z]*(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERROR|CRIT|FATAL|ALERT|EMERG)[A-Za-z]*|' +
    '[Tt]race|[Dd]ebug|[Ii]nfo|[Nn]otice|[Ww]arn(?:ing)?|[Ee]rr(?:or)?|[Cc]rit(?:ical)?|[Ff]atal)',
  TIMESTAMP_ISO8601:
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?` +
    String.raw`(?:Z| UTC|[+-]\d\d:?\d\d)?`,
  TIME: String.raw`\d\d:\d\d:\d\d(?:[.,]\d+)?`,
  HTTPDATE: String.raw`\d{1,2}/[A-Za-z]{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}`,
  SYSLOGTIMESTAMP: String.raw`[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d`,
  PROG: String.raw`[^\s:\[\]]+`,
  SYSLOGLINE:
    '(?:<%{NONNEGINT:priority}>)?%{SYSLOGTIMESTAMP:timestamp} ' +
    String.raw`%{IPORHOST:host} %{PROG:program}(?:\[%{POSINT:pid}\])?: %{GREEDYDATA:message}`,
  SYSLOG5424LINE:
    '<%{NONNEGINT:priority}>%{NONNEGINT:version} ' +
    '(?:%{TIMESTAMP_ISO8601:timestamp}|-) %{NOTSPACE:host} %{NOTSPACE:program} ' +
    String.raw`%{NOTSPACE:pid} %{NOTSPACE:msgid} (?<structured>-|(?:\[(?:[^\]\\]|\\.)*\])+)` +
    String.raw`(?: \ufeff?%{GREEDYDATA:message})?`,
  COMMONAPACHELOG:
    '%{IPORHOST:client} %{NOTSPACE:ident} %{NOTSPACE:user} ' +
    String.raw`\[%{HTTPDATE:timestamp}\] "(?:%{WORD:method} %{NOTSPACE:path}` +
    '(?: HTTP/%{NOTSPACE:http_version})?|(?<request>[^"]*))" ' +
    '%{INT:status} (?:%{INT:bytes}|-)',
  COMBINEDAPACHELOG:
    '%{COMMONAPACHELOG} "(?<referrer>(?:[^"\\\\]|\\\\.)*)" ' + '"(?<agent>(?:[^"\\\\]|\\\\.)*)"',
});

const TYPES: Readonly<Record<string, string>> = Object.freeze({ int: 'long', float: 'double' });
const USE = /%\{(\w+)(?::([\w@.[\]-]+))?(?::(\w+))?\}/g;

/** A regular expression for lines, and the types that it names. */
export interface LinePattern {
  readonly regex: RegExp;
  readonly types: Readonly<Record<string, string>>;
}

/** The regular expression of a grok pattern. Throws invalid_argument. */
export function grokPattern(grok: string): LinePattern {
  const types: Record<string, string> = {};
  const expanded = (text: string): string =>
    text.replace(USE, (_, name: string, field?: string, type?: string) => {
      const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      if (known === undefined) {
        const names = Object.keys(NAMED).join(', ');
        throw new LakeError('invalid_argument', `there is no pattern "${name}" (${names})`);
      }
      if (field === undefined) return `(?:${expanded(known)})`;
      const group = field.replaceAll(/\W/g, '_').replace(/^_+|_+$/g, '');
      if (type !== undefined) types[group] = TYPES[type] ?? type;
      return `(?<${group}>${expanded(known)})`;
    });
  return { ...linePattern(expanded(grok)), types };
}

/** The pattern of a regular expression with named groups. Throws invalid_argument. */
export function linePattern(source: string): LinePattern {
  try {
    const regex = new RegExp(source);
    if (/\(\?<[A-Za-z_$]/.test(source)) return { regex, types: {} };
  } catch (error) {
    throw new LakeError('invalid_argument', `cannot read the pattern: ${(error as Error).message}`);
  }
  const message = `the pattern names no column: (?<name>…) is one`;
  throw new LakeError('invalid_argument', message);
}
