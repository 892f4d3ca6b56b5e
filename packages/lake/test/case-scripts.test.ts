// @module-tag campaign
// @module-tag program
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Scripts of ../shared/cases/bugs that bend Iceberg tables and input files by hand, and print what
 * `lhs source rows` and `lhs source import` make of each. They need Python with pyiceberg, pyarrow,
 * fastavro, duckdb and pyroaring.
 */
const CASES = fileURLToPath(new URL('../../../../shared/cases/bugs', import.meta.url));
const LHS = fileURLToPath(new URL('../../cli/bin/lhs.js', import.meta.url));
/** The folder that the scripts name. */
const WRITTEN_FOR = '/tmp/lhs-cases';
const PYTHON = process.env.LHS_ICEBERG_PYTHON ?? '';
const missing = !existsSync(CASES)
  ? 'there is no ../shared/cases/bugs'
  : existsSync(PYTHON)
    ? null
    : 'LHS_ICEBERG_PYTHON names no interpreter';

/** Refused with a reason, as the list of the cases says. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  avro_bzip2: /codec is "bzip2"/,
  avro_xz: /codec is "xz"/,
  avro_no_field_ids: /lacks the required field "status"/,
};

/** What cases without rows to compare print. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  ts_extremes: /"tsn":"2262-04-11T23:47:16.854775807"/,
  parquet_stats_bad_nan_zero: /"x":0\}\n\{"id":2,"x":-0\}/,
  hour_transform_overflow: /\+250000-01-01T06:36:00/,
  unknown_type_v3: /\{"id":1,"u":null\}[\s\S]*geometry\(OGC:CRS84\), which is not supported/,
  no_ids_no_mapping: /has no field ids .* which is not supported/,
  geometry_cols_id: /PRINT 0 \{"id":1\}/,
  large_string_dict_float16: /fixed\[2\] as float, which is not supported/,
  record_count_wrong: /has 3 rows, its manifest says 2/,
  file_size_wrong: /PRINT 0 \{"id":1\}\n\{"id":2\}\n\{"id":3\}/,
};

/** What imports print: the line of the case, and the rows below it. */
const IMPORTED: Readonly<Record<string, RegExp>> = {
  uints: /"u8":255,"u16":65535,"u32":4294967295/,
  u64: /"18446744073709551615"/,
  tz: /"n":"1969-12-31T23:59:59\.999999"/,
  dec256: /column "d" of .* is decimal\(50, 2\)/,
  time: /column "t64" has the type TIME_NS/,
  ndcase: /"Name" and "name" differ only in case/,
  latin1: /windows-1252, guessed[\s\S]*"name":"é"/,
  utf16: /utf-16le[\s\S]*"name":"é"/,
  tabs: /line 2: value with unterminated quote/,
  ndnull: /"b":\[\],"c":\[\]/,
  ndbig: /"id":"9007199254740993".*"y":-0/,
  lead0: /"zip":"00501"/,
};

describe.skipIf(missing !== null)('the case scripts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lake-cases-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(() => {
    cpSync(CASES, folder, { recursive: true });
    for (const entry of readdirSync(folder, { recursive: true }).map(String)) {
      if (!/\.(py|sh|yaml)$/.test(entry)) continue;
      const path = join(folder, entry);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(WRITTEN_FOR, folder));
    }
    writeFileSync(join(folder, 'lhs'), `#!/bin/sh\nexec "${process.execPath}" "${LHS}" "$@"\n`);
    chmodSync(join(folder, 'lhs'), 0o755);
    symlinkSync(dirname(dirname(PYTHON)), join(folder, 'venv'));
  });

  const run = async (program: string, script: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, [join(folder, script)], {
      maxBuffer: 2 ** 26,
      env: { ...process.env, LHS_DATA_DIR: join(folder, 'data') },
    });
    return stdout;
  };

  it.each(['ice/a.py', 'ice/g.py'])('read or refuse every table of %s', async (script) => {
    const wrong: string[] = [];
    for (const block of (await run(PYTHON, script)).split(
      /^(?=\w+ (?:OK|FAIL|PRINT|MK|SKIP)\b)/m,
    )) {
      const [name, verdict] = block.split(/\s/, 2);
      const expected = (verdict === 'PRINT' ? PRINTED : REFUSED)[name];
      const isRight = verdict === 'OK' || (expected?.test(block) ?? verdict === 'PRINT');
      if (!isRight) wrong.push(block);
    }
    expect(wrong).toEqual([]);
  });

  it('delete the rows that position deletes name', async () => {
    const lines = (await run(PYTHON, 'ice/posdel.py')).split('\n');
    for (const name of ['sorted3', 'sorted1', 'unsorted3', 'past3', 'dup3']) {
      const line = lines.find((one) => one.startsWith(`${name} `));
      expect(line).toContain(`0 ['{"id":2}']`);
    }
    expect(lines.find((one) => one.startsWith('past1 '))).toMatch(/"id":1.*"id":2.*"id":3/);
  });

  it('import values as they are, or refuse them', async () => {
    const blocks = (await run(PYTHON, 'imp/imp.py')).split(/^## /m);
    for (const [name, expected] of Object.entries(IMPORTED)) {
      const block = blocks.find((one) => one.startsWith(`${name} `));
      expect(block, name).toMatch(expected);
    }
  });

  it('refuse keys that differ only in case', async () => {
    expect(await run('bash', 'repro/caseloss.sh')).toMatch(/^rc [1-9]/);
  });
});

describe.skipIf(missing === null)('the case scripts', () => {
  it.skip(`are not run: ${missing}`, () => {});
});
