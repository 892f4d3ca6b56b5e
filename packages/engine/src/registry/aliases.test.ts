import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Aliases } from './aliases.ts';
import { Registry } from './registry.ts';
import { RegistryFile } from './registry-file.ts';

let folder = '';
let registry: Registry;
let blue = '';
let green = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-aliases-'));
  registry = new Registry(folder);
  blue = registry.add('blue', 'x', '/').uuid;
  green = registry.add('green', 'x', '/').uuid;
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an alias', () => {
  it('names an index and can move to another', () => {
    const { aliases } = registry;
    expect(aliases.set('live', blue)).toBe(true);
    const other = new Registry(folder);
    expect(other.get('live').name).toBe('blue');
    expect(aliases.set('live', green)).toBe(true);
    expect(other.get('live').name).toBe('green');
    other.close();
    aliases.set('a', green);
    expect(aliases.list()).toEqual([
      { alias: 'a', index: 'green' },
      { alias: 'live', index: 'green' },
    ]);
    aliases.drop('live');
    expect(() => registry.get('live')).toThrow('there is no index "live"');
    expect(() => aliases.drop('live')).toThrow('there is no alias "live"');
    expect(() => aliases.drop('b')).toThrow('there is no alias "b"; did you mean "a"?');
  });

  it('shares one namespace with the names of indexes', () => {
    const { aliases } = registry;
    expect(() => aliases.set('green', blue)).toThrow('"green" is the name of an index');
    aliases.set('red', blue);
    expect(() => registry.add('red', 'x', '/')).toThrow(
      '"red" is an alias of index "blue" already',
    );
    expect(registry.list()).toHaveLength(2);
    aliases.drop('red');
    expect(registry.add('red', 'x', '/').name).toBe('red');
    expect(() => aliases.set('red', blue)).toThrow('"red" is the name of an index');
  });

  it('is dropped with its index, which cannot be dropped by an alias', () => {
    const { aliases } = registry;
    aliases.set('live', blue);
    expect(() => registry.named('live')).toThrow('"live" is an alias of index "blue"');
    expect(registry.named('blue').uuid).toBe(blue);
    registry.remove(blue);
    expect(aliases.list()).toEqual([]);
    expect(aliases.set('live', blue)).toBe(false);
    expect(registry.add('live', 'x', '/').name).toBe('live');
  });

  it('is suggested with the nearest names when a name is unknown', () => {
    registry.aliases.set('incidents', blue);
    expect(() => registry.get('incident')).toThrow('did you mean "incidents"?');
    expect(() => registry.get('gren')).toThrow('did you mean "green"?');
  });

  it('is limited in number', () => {
    const file = new RegistryFile(folder);
    const aliases = new Aliases(file, 3);
    for (let i = 0; i < 3; i++) aliases.set(`a${i}`, blue);
    expect(() => aliases.set('more', blue)).toThrow('there are 3 aliases, at most 3');
    expect(aliases.set('a2', green)).toBe(true);
    file.close();
  });
});
