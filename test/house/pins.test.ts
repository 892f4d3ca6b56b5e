import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, VERSION } from '@lakehouse-search/contract';
import { grouped, OPERATION_NAMES, OPERATIONS } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { LIBRARY_ENTRIES } from '../../scripts/sources.ts';
import { filesBelow, ROOT } from './sources.ts';

describe('pinned surfaces', () => {
  it('keep one version', () => {
    const manifests = filesBelow('package.json', 'packages/*/package.json');
    const versions = manifests.map((path): string => {
      return JSON.parse(readFileSync(join(ROOT, path), 'utf8')).version;
    });
    expect(manifests.length).toBeGreaterThan(8);
    expect(new Set(versions)).toEqual(new Set([VERSION]));
  });

  /** What others rely on. A change here is a decision: say it in CHANGELOG.md. */
  it('keep what programs import', async () => {
    const pinned: Record<string, string[]> = {};
    for (const [entry, source] of LIBRARY_ENTRIES) {
      pinned[entry.slice('@lakehouse-search/'.length)] = Object.keys(await import(source)).sort();
    }
    expect(pinned).toMatchInlineSnapshot(`
      {
        "client": [
          "LhsError",
          "createClient",
          "defineIndex",
          "q",
          "typed",
        ],
        "client/rest": [
          "LhsError",
          "createRestClient",
          "defineIndex",
          "q",
          "typed",
        ],
        "contract": [
          "ERROR_CODES",
          "LhsError",
          "VERSION",
          "defineIndex",
          "errorBody",
          "q",
          "typed",
        ],
        "engine": [
          "ERROR_CODES",
          "LhsError",
          "defineIndex",
          "definitionJsonSchema",
          "errorBody",
          "formatKey",
          "openLocal",
          "parseKey",
          "q",
          "typed",
        ],
        "engine/collection": [
          "Collection",
          "date",
          "list",
          "openCollection",
          "optional",
          "text",
        ],
        "lake": [
          "LakeError",
          "LhsError",
          "MapValue",
          "VariantValue",
          "appendRows",
          "changeRows",
          "compactTable",
          "createTable",
          "deleteRows",
          "dropTable",
          "dropTableRef",
          "expireSnapshots",
          "followFile",
          "importFiles",
          "listTables",
          "loadTable",
          "openTable",
          "schemaToJson",
          "setTableRef",
          "typeName",
          "upsertRows",
          "valueAt",
          "valueToJson",
        ],
        "lake/variant": [
          "decodeVariant",
          "encodeVariant",
          "nodeFromJson",
          "nodeOfValue",
          "variantFromJson",
        ],
        "mcp": [
          "checkCitations",
          "citationUri",
          "clientConfig",
          "meantKey",
          "openHttpHandler",
          "parseCitation",
          "serveStdio",
        ],
      }
    `);
  });

  it('have each operation in one group, or as a read of the backend', () => {
    const api = Object.fromEntries(OPERATION_NAMES.map((name) => [name, () => name]));
    const backend = grouped({ ...api, hits: () => {}, close: () => {} } as never, OPERATIONS);
    const { hits: _, close: __, ...members } = backend;
    const reads = Object.values(members).filter((member) => typeof member === 'function');
    const groups = Object.entries(members).filter(([, member]) => typeof member === 'object');
    const called = [...reads, ...groups.flatMap(([, group]) => Object.values(group))];
    expect(called.map((operation) => operation()).sort()).toEqual([...OPERATION_NAMES].sort());
    const text = readFileSync(join(ROOT, 'packages/contract/src/grouped.ts'), 'utf8');
    const typed = [...text.matchAll(/readonly (\w+): Members<'(\w+)'>/g)];
    expect(typed.map(([, name, group]) => [name, group]).sort()).toEqual(
      groups.map(([name]) => [name, name]).sort(),
    );
  });

  it('lead no page and no example to what only our packages use', () => {
    const pages = filesBelow('README.md', 'docs', 'examples', 'packages/*/README.md');
    const texts = pages.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]);
    expect(texts.filter(([, text]) => /@lakehouse-search\/\w+\/internal/.test(text))).toEqual([]);
  });

  it('keep the commands and their flags', async () => {
    const commands = filesBelow('packages/cli/src/commands').filter((f) => f.endsWith('.ts'));
    const pinned: Record<string, string> = {};
    for (const file of commands) {
      const { default: command } = await import(join(ROOT, file));
      const name = file
        .slice('packages/cli/src/commands/'.length, -'.ts'.length)
        .replaceAll('/', ' ');
      const own = Object.keys(command.flags ?? {}).filter((f) => !(f in command.baseFlags));
      const args = Object.entries<{ required?: boolean }>(command.args ?? {}).map(
        ([arg, { required }]) => (required ? arg.toUpperCase() : `[${arg.toUpperCase()}]`),
      );
      const short = command.aliases.map((alias: string) => `= ${alias}:`);
      pinned[name] = [...short, ...args, ...own.sort().map((f) => `--${f}`)].join(' ');
    }
    expect(pinned).toMatchInlineSnapshot(`
      {
        "alias drop": "ALIAS",
        "alias list": "",
        "alias set": "ALIAS INDEX",
        "build commit": "INDEX [RESULTS]",
        "build merge": "INDEX [RESULTS] --memory --tasks",
        "build plan": "INDEX --as-of --memory --rows-per-task --tasks",
        "build task": "",
        "cite check": "[CITATION]",
        "complete": "",
        "completion": "[SHELL]",
        "completion install": "[SHELL]",
        "config profile list": "",
        "config profile remove": "NAME",
        "config profile set": "NAME KEY VALUE",
        "config profile use": "NAME",
        "config set": "KEY VALUE",
        "config view": "--show-origin",
        "demo": "--git --serve",
        "doctor": "[INDEX] --catalog --path --table --warehouse",
        "erase check": "INDEX --backup --deep --key --keys --texts",
        "erase key": "",
        "erase run": "INDEX --backup --close-pits --deep --detach --key --keys --receipt --replace-backups --texts --yes",
        "erase verify": "RECEIPT --key --keys --public-key",
        "help": "[COMMAND] --nested-commands",
        "index aggregate": "= aggregate: INDEX [QUERY] --aggs --avg --cardinality --filter --format --histogram --max --min --operator --output --percentiles --pit --significant --size --snapshot-min --stats --sum --syntax --terms --time-zone --wait",
        "index alter": "INDEX --apply --detach --file --gate --queries --rehearse --sample",
        "index analyze": "INDEX [TEXT] --analyzer --field",
        "index apply": "[FILE] --detach --file --yes",
        "index backup": "INDEX [TO] --detach --to --verify",
        "index backups list": "[FROM] --index",
        "index backups prune": "[FROM] --index --keep --yes",
        "index backups status": "INDEX [FROM]",
        "index bench": "INDEX --limit --operator --queries --repeat --warm",
        "index clone": "= index branch: INDEX NAME --ref",
        "index compact": "INDEX --detach --segments",
        "index create": "[FILE] --file",
        "index describe": "INDEX",
        "index diff": "INDEX --filter --from --limit --plan --query --syntax --to",
        "index drop": "= delete: INDEX --yes",
        "index explain": "= explain: INDEX [QUERY] --ef --exact --filter --fusion --k --key --lexical-fields --limit --min-score --mode --offset --operator --pit --rrf-k --sort --syntax --vector --vector-field --weights",
        "index export": "INDEX [QUERY] --format --output --query",
        "index facets": "= facets: INDEX [QUERY] --field --filter --format --operator --output --pit --size --snapshot-min --syntax --wait",
        "index hybrid": "INDEX [QUERY] --after --aggs --collapse --columns --ef --exact --facet --fail-on-partial --fields --filter --fix --format --fusion --highlight --highlight-fields --hydrate --k --lexical-fields --limit --min-score --offset --operator --output --pit --queries --rrf-k --snapshot-min --sort --syntax --vector --vector-field --wait --weights",
        "index init": "[TABLE] --catalog --key --name --path --warehouse",
        "index list": "= list: = ls:",
        "index move": "INDEX [STORAGE] --local",
        "index move-bucket": "INDEX BUCKET SHARD",
        "index parse": "QUERY --index --operator --syntax",
        "index pit close": "INDEX PIT",
        "index pit open": "INDEX --keep-alive",
        "index print": "TREE --index --syntax",
        "index reindex": "= reindex: INDEX --as-of --command --detach --memory --resume --runner --tasks --threads --window",
        "index rename": "= rename: INDEX NAME",
        "index reshard": "INDEX --apply --queries --shards --suggest",
        "index restore": "[FROM] --aliases --as --backup --base-dir --detach --index",
        "index rollback": "INDEX --detach --generation",
        "index search": "INDEX [QUERY] --after --aggs --collapse --columns --ef --exact --facet --fail-on-partial --fields --filter --fix --format --fusion --highlight --highlight-fields --hydrate --k --lexical-fields --like --limit --min-score --mode --offset --operator --output --pit --queries --rrf-k --snapshot-min --sort --syntax --vector --vector-field --wait --weights",
        "index semantic": "INDEX [QUERY] --after --aggs --collapse --columns --ef --exact --facet --fields --filter --format --highlight --highlight-fields --hydrate --k --limit --min-score --offset --operator --output --pit --queries --snapshot-min --sort --syntax --vector --vector-field --wait",
        "index status": "= status: INDEX",
        "index suggest": "INDEX [TEXT] --field --fuzzy --limit",
        "index sync": "= sync: INDEX --follow --net --poll --until --wait",
        "index tune": "INDEX --file --queries",
        "index types": "INDEX",
        "index upgrade": "INDEX --detach --plan",
        "index validate": "[FILE] --catalog --file --github --offline --path --warehouse",
        "index verify": "= verify: INDEX --deep --detach --generation --repair --sample --snapshot",
        "index windows": "INDEX --apply --cool --detach --warm",
        "jobs cancel": "JOB",
        "jobs list": "--index --limit --state",
        "jobs run": "",
        "jobs show": "JOB",
        "jobs watch": "JOB",
        "keys get": "INDEX [KEY] --as-of --columns --format --key --keys --output",
        "login": "--token --user",
        "logout": "",
        "mcp": "--storage --tool-prefix --tools",
        "mcp config": "--client --http --storage --token",
        "model check": "MODEL",
        "model describe": "MODEL",
        "model list": "[FOLDER]",
        "query drop": "NAME",
        "query list": "",
        "query run": "NAME --after --aggs --collapse --columns --ef --exact --facet --fail-on-partial --fields --filter --fix --format --fusion --highlight --highlight-fields --hydrate --k --lexical-fields --limit --min-score --offset --operator --output --pit --rrf-k --snapshot-min --sort --syntax --vector --vector-field --wait --weights",
        "query save": "NAME INDEX [QUERY] --aggs --collapse --columns --description --ef --exact --facet --fields --filter --fix --fusion --highlight --highlight-fields --hydrate --k --lexical-fields --limit --min-score --mode --offset --operator --replace --rrf-k --snapshot-min --sort --syntax --vector --vector-field --wait --weights",
        "query show": "NAME",
        "search": "INDEX [QUERY] --after --aggs --collapse --columns --ef --exact --facet --fail-on-partial --fields --filter --fix --format --fusion --highlight --highlight-fields --hydrate --k --lexical-fields --like --limit --min-score --mode --offset --operator --output --pit --queries --rrf-k --snapshot-min --sort --syntax --vector --vector-field --wait --weights",
        "serve all": "--addr --auth --config --console --insecure-open --rest-addr --search-adapter --storage --sync",
        "serve check": "[FILE] --schema",
        "serve control-plane": "--addr --config --rest-addr --sync",
        "serve gateway": "--addr --auth --config --console --control-plane --insecure-open --nodes --rest-addr --search-adapter --shard-timeout-ms",
        "serve node": "--addr --advertise --config --control-plane --node --shard-ordinals --storage --sync",
        "serve password": "USER",
        "source changes": "[TABLE] --catalog --from --path --to --warehouse",
        "source compact": "TABLE --all --catalog --dry-run --target --warehouse --yes",
        "source delete": "[TABLE] --catalog --path --warehouse --where --yes",
        "source describe": "[TABLE] --catalog --path --warehouse",
        "source drop": "TABLE --catalog --warehouse --yes",
        "source expire": "TABLE --catalog --dry-run --keep --keep-files --older-than --warehouse --yes",
        "source import": "= import: --allow-duplicate-keys --append --catalog --comment --date-format --decimal --delimiter --encoding --filename --follow --format-version --grok --header --input-format --interval --key --lines --memory --null --pad --partition-by --pattern --rename --replace --rows-at --rows-of --sample-rows --sheet --skip-bad-lines --skip-lines --table --trim --type --warehouse --whole-files",
        "source rows": "[TABLE] --catalog --columns --format --limit --output --path --ref --snapshot --warehouse --where",
        "source snapshots": "[TABLE] --catalog --path --warehouse",
        "source tables": "--catalog --warehouse",
        "source tag": "TABLE NAME --branch --catalog --drop --keep-age --keep-snapshots --max-age --replace --snapshot --warehouse",
        "source upsert": "TABLE FILE --catalog --comment --date-format --decimal --delimiter --encoding --filename --grok --header --input-format --key --lines --null --pad --pattern --rename --rows-at --rows-of --sheet --skip-bad-lines --skip-lines --trim --type --warehouse --whole-files",
        "tui": "[INDEX] [QUERY] --mode --query",
        "version": "",
      }
    `);
  });

  it('have two or more examples in the help of every command', async () => {
    const commands = filesBelow('packages/cli/src/commands').filter((f) => f.endsWith('.ts'));
    for (const file of commands) {
      const { default: command } = await import(join(ROOT, file));
      expect(command.summary, file).toBeTruthy();
      expect(command.examples?.length, file).toBeGreaterThanOrEqual(2);
    }
  });

  it('document every error code with its status and exit code', () => {
    const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
    // `| exit | meaning | codes (status), codes (status) |`
    const rows = [...page.matchAll(/^\| (\d+) \| [^|]* \| (.*) \|$/gm)];
    const documented = rows.flatMap(([, exit, groups]) =>
      [...groups.matchAll(/(`[^()]*`) \((\d+)\)/g)].flatMap(([, codes, status]) =>
        [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${code} ${status} ${exit}`),
      ),
    );
    const wanted = Object.entries(ERROR_CODES).map(
      ([code, { status, exit }]) => `${code} ${status} ${exit}`,
    );
    expect(documented.sort()).toEqual(wanted.sort());
  });

  it('document every command', () => {
    const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
    const names = filesBelow('packages/cli/src/commands')
      .filter((f) => f.endsWith('.ts'))
      .map(
        (f) =>
          f.slice('packages/cli/src/commands/'.length, -'.ts'.length).split('/').at(-1) as string,
      );
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });
});
