/**
 * The usage of a command without the flags of all commands, and without the empty alternatives and
 * the inner brackets that oclif makes of flags that exclude each other: `[--a | [--b | --c] | | ]`.
 */
export function plainUsage(usage: string): string {
  let flat = usage.replace(/ \[--data-dir .*?\[--debug\]/s, '');
  for (let before = ''; flat !== before; ) {
    before = flat;
    flat = flat.replace(/(\[[^[\]]*)\[(-[^[\]]*)\]/g, '$1$2');
  }
  return flat.replace(/ +\|(?= *[|\]])/g, '').replace(/ +(?=\]| \|)/g, '');
}
