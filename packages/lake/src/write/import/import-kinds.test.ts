import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';
import { grokPattern } from '../convert/grok.ts';

/** What files are by their names, and what is left out of archives and workbooks. */
const { folder, file, imported } = importFolder('kinds');

/** Packs files below a folder. */
function zip(name: string, members: Readonly<Record<string, string>>): string {
  for (const [member, text] of Object.entries(members)) file(`${name}/${member}`, text);
  const path = join(folder, name);
  const tops = [...new Set(Object.keys(members).map((member) => member.split('/')[0]))];
  const args = ['-m', 'zipfile', '-c', `${path}.zip`, ...tops];
  execFileSync('python3', args, { cwd: path });
  return `${path}.zip`;
}

describe('an archive', () => {
  it('is read without what is no data by its name, which is named', async () => {
    const path = zip('data', {
      'README.txt': 'see LICENSE\n',
      LICENSE: 'any use\n',
      'cities.csv': 'id,name\n1,Oslo\n',
      'docs/about.pdf': '%PDF',
    });
    const { rows, read } = await imported(path);
    expect(rows).toEqual([[1, 'Oslo']]);
    expect([...(read?.leftOut ?? [])].sort()).toEqual(['LICENSE', 'README.txt', 'docs/about.pdf']);
    expect(read?.kind).toBe('csv');
  });

  it('is refused if its data are of different kinds, or it has none', async () => {
    const mixed = zip('mixed', { 'a.csv': 'id\n1\n', 'b.ndjson': '{"id":1}\n' });
    await expect(imported(mixed)).rejects.toThrow(/of different kinds/);
    const none = zip('none', { 'a.pdf': '%PDF' });
    await expect(imported(none)).rejects.toThrow(/not a known ending/);
  });
});

describe('the name of a file', () => {
  it('may be that of a rotated log', async () => {
    for (const name of ['app.log.1', 'app.log-20261128', 'app.txt.2']) {
      const { rows } = await imported(file(name, 'one\ntwo\n'));
      expect(rows).toEqual([
        [1, 'one'],
        [2, 'two'],
      ]);
    }
    await expect(imported(file('app.1', 'x\n'))).rejects.toThrow(/".1" is not a known ending/);
  });

  it('says the delimiter of .psv', async () => {
    const { rows } = await imported(file('pipes.psv', 'a|b,c,d\n1|2,3,4\n'));
    expect(rows).toEqual([[1, '2,3,4']]);
  });
});

describe('lines', () => {
  it('that look like CSV are named as such', async () => {
    const text = 'id;name\n1;Oslo\n2;Bergen\n';
    const { read } = await imported(file('cities.txt', text));
    expect(read?.lines).toMatchObject({ as: 'lines', isLikeCsv: true });
    const named = await imported(file('cities.txt', text), { lines: true });
    expect(named.read?.lines?.isLikeCsv).toBeUndefined();
    const prose = 'Well, this is it.\nNo comma here.\nOne, two, three.\n';
    expect((await imported(file('prose.txt', prose))).read?.lines?.isLikeCsv).toBeUndefined();
  });

  it('of columns between blanks are named with a pattern that splits them', async () => {
    const path = file('buys.txt', ' 00004 0001  29.33\n 00004 0002   9.73\n 00021 0001  14.96 \n');
    const { rows, read } = await imported(path);
    expect(rows[0]).toEqual([1, ' 00004 0001  29.33']);
    const grok = read?.lines?.grok;
    expect(grok).toBe(
      String.raw`^\s*%{NOTSPACE:column0}\s+%{NOTSPACE:column1}\s+%{NOTSPACE:column2}\s*$`,
    );
    const split = await imported(path, { grok });
    expect(split.rows[1]).toEqual(['00004', '0002', 9.73]);
    const words = file('words.txt', 'red 7 apples\nno blue pears\nten green figs\n');
    expect((await imported(words)).read?.lines?.grok).toBeUndefined();
  });
});

describe('lines that no known log has', () => {
  const lines = (write: (i: number) => string) =>
    Array.from({ length: 30 }, (_, i) => `${write(i)}\n`).join('');
  const at = (i: number) => `2026-11-${10 + (i % 20)} 10:00:00`;

  it.each([
    ['a package log', (i: number) => `${at(i)} status installed p${i}:amd64 1.${i}`, 2],
    ['levels', (i: number) => `${at(i)} ${i % 2 === 0 ? 'INFO' : 'WARN'} took ${i} ms`, 3],
    ['a program before the time', (i: number) => `update-x ${at(i)}: run with --quiet ${i}`, 3],
    ['names and values', (i: number) => `Key-${i}: value ${i}`, 2],
  ])('are named with a pattern of grok that reads them: %s', async (name, write, columns) => {
    const path = file(`${name.replaceAll(' ', '-')}.log`, lines(write));
    const { read } = await imported(path);
    const grok = read?.lines?.grok ?? '';
    const split = await imported(path, { grok });
    expect(split.read?.lines?.unmatched).toBe(0);
    expect(split.rows).toHaveLength(30);
    expect(split.rows[0]).toHaveLength(columns);
    if (grok.includes('TIMESTAMP')) expect(split.types.timestamp).toBe('timestamp');
  });

  it('are not named with one if they fit none', async () => {
    const prose = lines((i) => `A line of ${i} words without any form`);
    expect((await imported(file('none.log', prose))).read?.lines?.grok).toBeUndefined();
  });
});

describe('a first line of CSV that cannot be names', () => {
  it.each([
    ['10.0.0.1 - - [28/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200\n', true],
    ['2026-11-28 10:00:00 startup archives\n2026-11-28 10:00:01 x\n', true],
    ['1,Oslo,3.5\n2,Bergen,4\n', true],
    ['Oslo,2026-11-28,3.5\n', true],
    ['country,2024,2025\nNorway,1,2\n', false],
    ['id,name\n1,Oslo\n', false],
  ])('is named: %j', async (text, isLikeRow) => {
    const { read } = await imported(file(`first${isLikeRow}.csv`, text));
    expect(read?.isHeaderLikeRow).toBe(isLikeRow);
  });

  it('is not named if the caller says what it is', async () => {
    const path = file('named.csv', '1,Oslo\n2,Bergen\n');
    expect((await imported(path, { hasHeader: false })).read?.isHeaderLikeRow).toBe(false);
  });
});

describe('a workbook', () => {
  const cell = (at: string, text: string) =>
    `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const sheet = (name: string, value: string) =>
    '<worksheet><sheetData>' +
    `<row r="1">${cell('A1', name)}</row><row r="2">${cell('A2', value)}</row>` +
    '</sheetData></worksheet>';
  const relation = (id: number) =>
    `<Relationship Id="rId${id}" Target="worksheets/sheet${id}.xml"/>`;
  const tag = (name: string, id: number) =>
    `<sheet name="${name}" sheetId="${id}" r:id="rId${id}"/>`;
  const sheets = `<sheets>${tag('Sales', 1)}${tag('R&amp;D', 2)}</sheets>`;
  const workbook = () =>
    zip('book', {
      'xl/workbook.xml': `<workbook>${sheets}</workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation(1)}${relation(2)}</Relationships>`,
      'xl/worksheets/sheet1.xml': sheet('city', 'Oslo'),
      'xl/worksheets/sheet2.xml': sheet('idea', 'tide'),
    });

  it('has its first worksheet read, or that of a name; the others are named', async () => {
    const first = await imported(workbook(), { kind: 'xlsx' });
    expect(first.rows).toEqual([['Oslo']]);
    expect(first.read?.sheet).toEqual({ name: 'Sales', others: ['R&D'], header: 1 });
    const second = await imported(workbook(), { kind: 'xlsx', sheet: 'R&D' });
    expect(second.types).toEqual({ idea: 'string' });
    const none = imported(workbook(), { kind: 'xlsx', sheet: 'Costs' });
    await expect(none).rejects.toThrow(/no worksheet "Costs" \(it has Sales, R&D\)/);
  });
});

describe('patterns of grok', () => {
  it.each([
    ['JAVACLASS', 'org.example.Main$Inner'],
    ['JAVAMETHOD', '<init>'],
    ['JAVASTACKTRACEPART', '  at org.example.Main.run(Main.java:12)'],
    ['MAC', '00:1b:63:84:45:e6'],
    ['MAC', '001b.6384.45e6'],
    ['HOSTPORT', 'db-1.example.org:5432'],
    ['EMAILADDRESS', 'a.b+c@example.org'],
    ['UNIXPATH', '/var/log/app.log'],
    ['WINPATH', 'C:\\Windows\\app.log'],
    ['URN', 'urn:isbn:0451450523'],
    ['TTY', '/dev/pts/3'],
    ['URIHOST', 'example.org:8080'],
    ['DATE', '28/11/2026'],
    ['DATESTAMP', '28.11.2026 12:30:01'],
    ['DATESTAMP_RFC822', 'Sat Nov 28 2026 12:30:01 UTC'],
    ['DATESTAMP_RFC2822', 'Sat, 28 Nov 2026 12:30:01 +0100'],
    ['DATESTAMP_OTHER', 'Sat Nov 28 12:30:01 UTC 2026'],
    ['DATESTAMP_EVENTLOG', '20261128123001'],
    ['SYSLOGBASE', 'Nov 28 12:30:01 host sshd[12]:'],
    ['SYSLOGFACILITY', '<4.6>'],
    ['BASE16FLOAT', '0x1f.a'],
    ['ISO8601_TIMEZONE', '+01:00'],
    ['MONTHNUM', '11'],
    ['QS', '"a \\" b"'],
  ])('%s takes %s', (name, text) => {
    const { regex } = grokPattern(`^%{${name}:all}$`);
    expect(regex.exec(text)?.groups?.all).toBe(text);
    expect(regex.test(`${text} \u0000`)).toBe(false);
  });
});
