/**
 * The wire contract is generated from the types of packages/contract, so that both agree field by
 * field: a change of one without `node scripts/proto.ts` fails here.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescMessage } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../packages/client/src/wire/field-plan.ts';
import { METHODS } from '../../packages/client/src/wire/methods.ts';
import { readContract } from '../../scripts/proto/read-contract.ts';
import { ROOT } from './sources.ts';

const root = ROOT.replace(/\/$/, '');
const runs = (() => {
  try {
    const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path };
    execFileSync(process.env.LHS_BUF ?? 'buf', ['--version'], { stdio: 'ignore', env });
    return true;
  } catch {
    return false;
  }
})();

/** The files below a folder with their texts. */
function textsBelow(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((f) => f.isFile()).map((f) => join(f.parentPath, f.name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  );
}

describe('proto/lhs/v1', () => {
  const { messages, methods } = readContract(root);

  it.runIf(runs)('is what scripts/proto.ts writes, and so is the generated code', () => {
    const copy = mkdtempSync(join(tmpdir(), 'lhs-proto-'));
    const folders = ['proto', 'packages/client/src/generated'];
    try {
      for (const name of folders) cpSync(join(root, name), join(copy, name), { recursive: true });
      execFileSync(process.execPath, [join(root, 'scripts/proto.ts'), copy]);
      for (const name of folders) {
        expect(textsBelow(join(copy, name)), 'run "node scripts/proto.ts" and commit').toEqual(
          textsBelow(join(root, name)),
        );
      }
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('has a message for each type of the contract, with its fields', () => {
    const described = new Map<string, string[]>();
    const visit = (message: DescMessage): void => {
      if (described.has(message.name)) return;
      described.set(
        message.name,
        fieldsOf(message)
          .map(({ name }) => name)
          .sort(),
      );
      for (const { message: part } of message.fields) if (part !== undefined) visit(part);
    };
    for (const { input, output } of Object.values(METHODS)) [input, output].forEach(visit);
    const read = messages.map(
      ({ name, fields }) => [name, fields.map((field) => field.name).sort()] as const,
    );
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(read));
  });

  it('has a method for each operation, with the types of the contract', () => {
    const described = Object.values(METHODS).map(({ service, method, input, output }) =>
      [service.name, method.name, input.name, output.name].join(' '),
    );
    const read = methods.map(({ service, name, input, output }) =>
      [service, name, input, output].join(' '),
    );
    expect(described.sort()).toEqual(read.sort());
  });
});
